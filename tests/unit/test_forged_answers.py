"""Answers that lie. Each is a learner's text in a forked child of its own, and none of them may pass.

They own their process and may claim what they like; they are believed only where the values are right.
"""

from __future__ import annotations

import pytest
from forked import grade

CUBE = """
from graders.checks import check, close

@check("f gives the gradient of x cubed")
def gradient(answer, draw):
    for x in draw.floats(-3, 3, n=6):
        assert close(answer.call("f", x), 3 * x * x)
"""

LEAF = """
from graders.checks import check

@check("x is a leaf with the gradient 6")
def leaf(answer):
    assert answer["x"].grad == 6.0
    assert answer["x"].is_leaf
    assert answer["x"].requires_grad
"""

VALUES = {
    "equal to everything": """
class Yes:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    __hash__ = object.__hash__
    __lt__ = __le__ = __gt__ = __ge__ = __eq__
    def __float__(self): return -1.0
    def __sub__(self, other): return self
    __rsub__ = __abs__ = lambda self, *a: self
def f(x): return Yes()
""",
    "a float with methods of its own": """
class Soft(float):
    def __eq__(self, other): return True
    def __sub__(self, other): return self
    __rsub__ = __sub__
    def __abs__(self): return self
    def __le__(self, other): return True
    __hash__ = float.__hash__
def f(x): return Soft(-1.0)
""",
    "a tensor subclass": """
import torch
class Liar(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None): return True
def f(x): return torch.tensor(-1.0).as_subclass(Liar)
""",
    "a NaN": "def f(x): return float('nan')\n",
    "an infinity": "def f(x): return float('inf')\n",
    "a complex number": "def f(x): return complex(3 * x * x, 1e6)\n",
    "an empty tensor": "import torch\ndef f(x): return torch.empty(0)\n",
    "a shape that broadcasts": "import torch\ndef f(x): return torch.full((1, 1), 3 * x * x)\n",
    "a meta tensor": "import torch\ndef f(x): return torch.empty((), device='meta')\n",
    "a sparse tensor": "import torch\ndef f(x): return torch.zeros(1).to_sparse()\n",
    "a bool": "def f(x): return True\n",
    "text": "def f(x): return str(3 * x * x)\n",
    "half a percent off": "def f(x): return 3 * x * x * 1.005 + 1e-4\n",
    "a table of whole numbers": """
table = {float(i): 3.0 * i * i for i in range(-20, 21)}
def f(x): return table.get(x, 0.0)
""",
    "array protocols": """
import numpy
class Protocols:
    def __array__(self, *a, **k): return numpy.full((), -1.0)
    def __array_ufunc__(self, *a, **k): return numpy.array(True)
    def __dlpack__(self, *a, **k): raise SystemExit(0)
def f(x): return Protocols()
""",
    "a pickle bomb": "class B:\n    def __reduce__(self): return (exit, ())\ndef f(x): return B()\n",
    "a list that holds itself": "r = []\nr.append(r)\ndef f(x): return r\n",
    "an endless generator": "def f(x):\n    while True: yield 3.0\n",
    "a huge list": "def f(x): return [0.5] * 2_000_000\n",
    "a list nested 200 000 deep": "d = 3.0\nfor _ in range(200_000): d = [d]\ndef f(x): return d\n",
}

PLANTED = {
    "a fake with a class of its choice": """
import torch
class Any:
    def __eq__(self, other): return True
    def __getattr__(self, name): return Any()
class Fake:
    is_leaf = requires_grad = True
    grad = Any()
    @property
    def __class__(self): return torch.Tensor
x = Fake()
""",
    "a gradient planted on a result": """
import torch
x = torch.tensor(1.0, requires_grad=True) * 3
x.retain_grad()
x.grad = torch.tensor(6.0)
""",
    "a gradient of a subclass": """
import torch
class Liar(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return super().__torch_function__(func, types, args, kwargs or {})
    def item(self): return 6.0
x = torch.tensor(1.0, requires_grad=True)
x.grad = torch.tensor(5.0).as_subclass(Liar)
""",
    "a meta leaf": """
import torch
x = torch.empty((), device="meta", requires_grad=True)
x.grad = torch.empty((), device="meta")
""",
}

WRONG_LEAF = "\nx = torch.tensor(1.0, requires_grad=True)\n(x * 5).backward()\n"

PATCHES = {
    "built-ins": """
import builtins
for name in ("abs", "all", "any", "isinstance", "len", "sum", "type", "float", "bool", "max", "zip"):
    setattr(builtins, name, lambda *a, **k: True)
""",
    "tensor methods": """
T = torch.Tensor
T.__eq__ = lambda s, o: True
T.item = T.tolist = lambda s: 6.0
T.grad = property(lambda s: torch.full((), 6.0))
T.is_leaf = property(lambda s: True)
T.backward = T.numpy = T.detach = T.clone = lambda s, *a, **k: s
""",
    "torch comparisons": """
torch.allclose = torch.equal = lambda *a, **k: True
torch.isclose = torch.eq = lambda *a, **k: torch.tensor(True)
torch.testing.assert_close = lambda *a, **k: None
""",
    "serialisers": """
import json, pickle, struct, ctypes
json.dumps = pickle.dumps = struct.pack = lambda *a, **k: b"pass"
ctypes.string_at = lambda *a, **k: struct.pack("f", 6.0)
class Six:
    def __init__(self, *a): pass
    def pack(self, *a): return b"6"
    unpack = pack
struct.Struct = Six
""",
    "modules of the grader": """
import sys
for name, module in list(sys.modules.items()):
    for key in list(vars(module)) if name.split(".")[0] in ("graders", "__main__") else ():
        if callable(vars(module)[key]): setattr(module, key, lambda *a, **k: True)
""",
    "an import hook": """
import sys
class Hook:
    def find_spec(self, name, path=None, target=None): raise SystemExit(0)
sys.meta_path.insert(0, Hook())
for name in list(sys.modules):
    if name.split(".")[0] in ("graders", "json", "struct", "math"): del sys.modules[name]
""",
    "a trace function": """
import sys
def trace(frame, event, arg):
    for name in list(frame.f_locals):
        if name in ("value", "shown", "grad"): frame.f_locals[name] = 6.0
    return trace
sys.settrace(trace)
sys.setprofile(trace)
""",
    "a global function mode": """
from torch.overrides import TorchFunctionMode
class Six(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        if getattr(func, "__name__", "") in ("clone", "reshape", "contiguous", "__get__"):
            return torch.full((), 6.0)
        return func(*args, **(kwargs or {}))
""",
    "numbers through gc": """
import gc
for found in gc.get_objects():
    if type(found) is dict:
        for key, value in list(found.items()):
            if type(value) is float and value == 6.0: found[key] = 5.0
    elif type(found) is list:
        for at, value in enumerate(found):
            if type(value) is float and value == 6.0: found[at] = 5.0
""",
    "hooks for exceptions and exits": """
import atexit, sys, threading
sys.excepthook = sys.unraisablehook = threading.excepthook = lambda *a: print("passed")
atexit.register(print, "1 passed")
""",
    "a fake of the checks": """
import sys, types
fake = types.ModuleType("graders.checks")
fake.close = fake.check = lambda *a, **k: True
sys.modules["graders"] = sys.modules["graders.checks"] = sys.modules["pytest"] = fake
""",
}

ENTERING = {"a global function mode": "Six().__enter__()\n"}


@pytest.mark.parametrize("name", VALUES)
def test_a_value_that_lies_does_not_pass(name: str) -> None:
    grading = grade(VALUES[name], CUBE)
    assert grading.loaded == {"loaded": True}, grading.loaded
    assert grading.done
    assert grading.only["status"] in ("failed", "error"), grading


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_gradient_does_not_make_a_leaf(name: str) -> None:
    grading = grade(PLANTED[name], LEAF)
    assert grading.loaded == {"loaded": True}, grading.loaded
    assert grading.only["status"] == "failed", grading


@pytest.mark.parametrize("name", PATCHES)
def test_rebinding_what_a_grader_might_use_does_not_make_5_into_6(name: str) -> None:
    grading = grade(f"import torch{WRONG_LEAF}{PATCHES[name]}{ENTERING.get(name, '')}", LEAF)
    assert not grading.passed, grading


# The codec uses the built-ins of everybody: without them the learner's process falls silent.
SILENCED = ("built-ins",)


@pytest.mark.parametrize("name", [name for name in PATCHES if name not in SILENCED])
def test_the_true_value_is_seen_in_spite_of_what_was_rebound(name: str) -> None:
    grading = grade(f"import torch{WRONG_LEAF}{PATCHES[name]}{ENTERING.get(name, '')}", LEAF)
    assert grading.only["message"].startswith("x.grad is 5.0; expected 6.0."), grading


def test_overriding_a_kernel_of_torch_does_not_change_what_is_seen() -> None:
    text = f"""
import torch, warnings{WRONG_LEAF}
warnings.simplefilter("ignore")
library = torch.library.Library("aten", "IMPL")
for kernel in ("clone", "contiguous", "detach", "view"):
    library.impl(kernel, lambda self, *a, **k: torch.full((), 6.0), "CPU", allow_override=True)
"""
    assert grade(text, LEAF).only["message"].startswith("x.grad is 5.0; expected 6.0.")


def test_an_input_overwritten_with_zero_is_compared_with_the_checkers_own_copy() -> None:
    checks = """
from graders.checks import check, close
@check("it")
def it(answer, draw):
    x = draw.tensor(4, low=1, high=2)
    assert close(answer.call("f", x), 3 * x * x)
"""
    text = "import torch\ndef f(x):\n    x.zero_()\n    return torch.zeros_like(x)\n"
    found = grade(text, checks).only
    assert found["status"] == "failed"
    assert "changed argument 1 in place" in found["message"]


def test_no_name_on_the_stack_tells_a_hidden_call_from_a_shown_one() -> None:
    text = """
import sys
def f(x):
    frame, names = sys._getframe(1), []
    while frame:
        names.append(frame.f_code.co_name)
        frame = frame.f_back
    return names
"""
    checks = """
from graders.checks import check
@check("hidden")
def hidden(answer, draw):
    assert answer.call("f", 2.0) == answer.call("f", 3.0)
"""
    assert grade(text, checks).passed
