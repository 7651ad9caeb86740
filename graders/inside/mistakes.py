"""The classic errors of a learner's first weeks with autograd: what happened, why, and one thing to try.

Each entry is found by the exception's type and its own text; the text itself is always shown beside,
unchanged. The texts are those of PyTorch 2.6 to 2.13 and CPython 3.11 to 3.14; a test provokes each of them
for real.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from graders.inside.own import keep_builtins

keep_builtins(globals())


@dataclass(frozen=True)
class Scene:
    """An error and where it happened: names of its type and bases, text, line, names in reach."""

    type: str
    bases: tuple[str, ...]
    message: str
    line: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Mistake:
    """One known error.

    `pattern` is searched in the message; its groups may be used as {0}, {1} in the sentences.
    """

    type: str
    pattern: str
    what: str
    why: str
    hint: str
    line: str = ""  # a pattern that the learner's line must hold too


def explanation(scene: Scene) -> tuple[str, str, str]:
    """What, why and hint for the first known mistake that fits; three empty strings if none does."""
    suggestion = _suggestion(scene)
    for mistake in MISTAKES:
        if mistake.type != scene.type and mistake.type not in scene.bases:
            continue
        found = re.search(mistake.pattern, scene.message)
        if found is None or (mistake.line and not re.search(mistake.line, scene.line)):
            continue
        groups = [group or "" for group in found.groups()]
        what, why, hint = (text.format(*groups) for text in (mistake.what, mistake.why, mistake.hint))
        return what, why, suggestion or hint
    return "", "", ""


def _suggestion(scene: Scene) -> str:
    if scene.type != "NameError":
        return ""
    missing = re.search(r"name '(\w+)' is not defined", scene.message)
    near = difflib.get_close_matches(missing[1], scene.names, n=1, cutoff=0.7) if missing else []
    return f"Did you mean {near[0]}?" if near else ""


_ONE_DEVICE = "Make or move all of them to one device: x.to(w.device). Here there is the CPU only."

_LEAF_TIP = "Make a new tensor instead (w = w - …), or wrap the update in `with torch.no_grad():`."

MISTAKES: tuple[Mistake, ...] = (
    Mistake(
        "AssertionError",
        r"Torch not compiled with CUDA enabled",
        "A tensor was to be made on a graphics card, and there is none where this runs.",
        "This build of PyTorch knows the processor (cpu) only.",
        'Leave out device="cuda" and .cuda(), or choose: "cuda" if torch.cuda.is_available() else "cpu".',
    ),
    Mistake(
        "RuntimeError",
        r"No CUDA GPUs are available|Found no NVIDIA driver|Expected one of cpu, cuda, .* device type",
        "A tensor was to be made on a device that is not there.",
        "Where this runs there is the processor (cpu) only.",
        'Leave out device="cuda" and .cuda(), or choose: "cuda" if torch.cuda.is_available() else "cpu".',
    ),
    Mistake(
        "RuntimeError",
        r"[Ee]xpected all tensors to be on the same device|is not on the expected device",
        "Two tensors on different devices met.",
        "An operation runs on one device, and needs all that it works with there.",
        _ONE_DEVICE,
    ),
    Mistake(
        "TypeError",
        r"unsupported operand type\(s\) for .*'NoneType'",
        ".grad was used although it is None.",
        "A tensor has one only after backward(), if it is a leaf, and with requires_grad=True.",
        "Make it with requires_grad=True, call backward() on the result, and only then use .grad.",
        line=r"\.grad\b",
    ),
    Mistake(
        "RuntimeError",
        r"[Oo]nly Tensors of floating point(?: and complex)? dtype can require gradients",
        "This tensor holds whole numbers, and such a tensor cannot require a gradient.",
        "A gradient is a slope, and slopes need values that can change by any small amount.",
        "Write the numbers with a decimal point (2.0 instead of 2), or pass dtype=torch.float32.",
    ),
    Mistake(
        "RuntimeError",
        r"backward through the graph a second time",
        "The same graph was walked backward twice.",
        "The first backward() frees what the graph had saved, since most graphs are used once.",
        "Compute the result again before the second backward(), or pass retain_graph=True to the first.",
    ),
    Mistake(
        "RuntimeError",
        r"a (?:view of a )?leaf Variable that requires grad is being used in an in-place operation",
        "A tensor that requires a gradient was changed in place.",
        "It is a leaf: autograd measures slopes at the value that it had, so the value must stay.",
        _LEAF_TIP,
    ),
    Mistake(
        "RuntimeError",
        r"modified by an inplace operation: \[[^\]]*\]*,? which is output \d+ of (\w+)",
        "A result that backward() still needed was overwritten in place (it came from {0}).",
        "Some operations save a value to compute the gradient with, and that value has since changed.",
        "Use the form that makes a new tensor: y = y + 1 instead of y += 1, y.relu() instead of y.relu_().",
    ),
    Mistake(
        "RuntimeError",
        r"modified by an inplace operation",
        "A tensor that backward() still needed was overwritten in place.",
        "Some operations save a value to compute the gradient with, and that value has since changed.",
        "Use the form that makes a new tensor: y = y + 1 instead of y += 1.",
    ),
    Mistake(
        "RuntimeError",
        r"does not require grad and does not have a grad_fn",
        "backward() was called on a tensor without a graph behind it.",
        "No tensor in its computation had requires_grad=True, or the link was cut: by .detach(), .item(), "
        ".data, .numpy(), a new torch.tensor(...) or torch.no_grad().",
        "Make the input with requires_grad=True and compute the result from that very tensor.",
    ),
    Mistake(
        "RuntimeError",
        r"grad can be implicitly created only for scalar outputs",
        "A gradient was asked of a tensor with more than one element.",
        "A gradient is taken of one number; for several, PyTorch must be told how to weigh them.",
        "Reduce it to one number first, for instance y.sum().backward() or y.mean().backward().",
    ),
    Mistake(
        "RuntimeError",
        r"appears to not have been used in the graph",
        "A gradient was asked for a tensor that the result does not depend on.",
        "No path in the graph leads from the result back to that tensor.",
        "Check that the result is computed from this very tensor, not from a copy or a detached one.",
    ),
    Mistake(
        "RuntimeError",
        r"[Cc]an't call numpy\(\) on Tensor that requires grad",
        "A tensor that is tracked by autograd was turned into a NumPy array.",
        "NumPy knows no gradients, so the graph would be cut without a word.",
        "If you want the numbers only, use x.detach().numpy(); for one number, x.item().",
    ),
    Mistake(
        "RuntimeError",
        r"mat1 and mat2 shapes cannot be multiplied \((\d+x\d+) and (\d+x\d+)\)",
        "A matrix of {0} cannot be multiplied by one of {1}.",
        "The columns of the first must be as many as the rows of the second.",
        "Print both .shape before this line; a transpose (.T), or another layer size, usually mends it.",
    ),
    Mistake(
        "RuntimeError",
        r"size mismatch, got input \((\d+)\), mat \((\d+x\d+)\), vec \((\d+)\)",
        "A matrix of {1} cannot be multiplied by a vector of {2} elements.",
        "The vector must have as many elements as the matrix has columns.",
        "Print both .shape before this line.",
    ),
    Mistake(
        "RuntimeError",
        r"inconsistent tensor size|Expected size for first two dimensions of batch2 tensor",
        "Two tensors of different sizes were multiplied.",
        "A product of vectors or matrices needs inner sizes that agree.",
        "Print both .shape before this line.",
    ),
    Mistake(
        "RuntimeError",
        r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)",
        "Two tensors cannot be combined element by element: one has {0} where the other has {1}.",
        "Sizes must be equal, or one of them 1, in every dimension counted from the right.",
        "Print both .shape before this line; unsqueeze or a transpose usually mends it.",
    ),
    Mistake(
        "RuntimeError",
        r"(?:must|to) have the same dtype, but got:? (\w+) (?:and|!=) (\w+)",
        "Two tensors of different dtypes met: {0} and {1}.",
        "A product of matrices needs one dtype; PyTorch does not convert here by itself.",
        "Convert one side: x.to(w.dtype), x.float() for float32, x.double() for float64.",
    ),
    Mistake(
        "RuntimeError",
        r"could not infer output dtype|expected scalar type (\w+) but found (\w+)",
        "An operation that needs decimal numbers got another dtype.",
        "Tensors made of whole numbers have an integer dtype, for which this operation is not defined.",
        "Convert it with .float(), or make the tensor from numbers with a decimal point.",
    ),
    Mistake(
        "RuntimeError",
        r"input has inconsistent input_size: got (\d+),? expected (\d+)",
        "The layer was made for inputs of size {1} and got {0}.",
        "The last dimension of the input must be the layer's input_size.",
        "Print the input's .shape; the layer may be given the wrong slice, or the wrong sizes in __init__.",
    ),
    Mistake(
        "RuntimeError",
        r"a Tensor with (\d+) elements cannot be converted to Scalar",
        ".item() was called on a tensor of {0} elements.",
        ".item() takes the one number out of a tensor that holds exactly one.",
        "Pick or compute one element first: x[0].item(), x.sum().item(), x.mean().item().",
    ),
    Mistake(
        "RuntimeError",
        r"Boolean value of Tensor with more than one value is ambiguous",
        "An `if`, `and`, `or` or `not` was given a tensor of several values.",
        "Each element has its own yes or no, and Python needs a single one.",
        "Say which you mean, (x > 0).any() or (x > 0).all(), or choose per element with torch.where.",
    ),
    Mistake(
        "RuntimeError",
        r"stack expects each tensor to be equal size|Sizes of tensors must match except in dimension",
        "Tensors of different sizes were joined.",
        "torch.stack needs equal shapes; torch.cat needs equal shapes in every dimension but the joined one.",
        "Print the .shape of each; shorter ones may have to be padded first.",
    ),
    Mistake(
        "RuntimeError",
        r"expects? a non-empty (?:TensorList|list of Tensors)",
        "An empty list of tensors was joined.",
        "The loop that was to fill the list has not run, or its result was not appended.",
        "Print the list's length just before this line.",
    ),
    Mistake(
        "RuntimeError",
        r"shape '(\[[^\]]*\])' is invalid for input of size (\d+)",
        "{1} elements cannot be arranged in the shape {0}.",
        "Reshaping keeps every element, so the sizes must multiply to the same number.",
        "Use -1 for one dimension and let PyTorch work it out.",
    ),
    Mistake(
        "RuntimeError",
        r"`lengths` array must be sorted",
        "The sequences are not ordered from longest to shortest.",
        "pack_padded_sequence expects that order unless it is told otherwise.",
        "Pass enforce_sorted=False.",
    ),
    Mistake(
        "RuntimeError",
        r"DefaultCPUAllocator|can't allocate memory",
        "There was not enough memory for this tensor.",
        "The sandbox gives each program a limited amount.",
        "Check the sizes: print the .shape of what goes in, and look for a list of tensors that grows.",
    ),
    Mistake(
        "AttributeError",
        r"'NoneType' object has no attribute",
        ".grad was used although it is None.",
        "A tensor has one only after backward(), if it is a leaf, and with requires_grad=True.",
        "Make it with requires_grad=True, call backward() on the result, and only then read .grad.",
        line=r"\.grad\b",
    ),
    Mistake(
        "AttributeError",
        r"'NoneType' object has no attribute '(\w+)'",
        "Something is None where an object with .{0} was expected.",
        "A function without a return, and a .grad before backward(), are both None.",
        "Print what stands before the dot on this line.",
    ),
    Mistake(
        "AttributeError",
        r"'(float|int|ndarray|numpy\.ndarray|numpy\.float\d+)' object has no attribute "
        r"'(?:backward|grad|grad_fn|requires_grad\w*|detach)'",
        "A plain number or NumPy array ({0}) was asked for what only a tensor has.",
        ".item(), .tolist(), float() and .numpy() take the value out of the graph: no gradient finds back.",
        "Compute with the tensor itself; take the number out only to print or to compare it.",
    ),
    Mistake(
        "AttributeError",
        r"before Module\.__init__\(\) call",
        "A layer was stored on the module before the module was set up.",
        "nn.Module keeps its parameters in tables that its own __init__ makes.",
        "Begin __init__ with super().__init__().",
    ),
    Mistake(
        "NotImplementedError",
        r'missing the required "forward" function',
        "The module has no forward method.",
        "Calling a module calls its forward; the name must be exactly that, inside the class.",
        "Check the spelling and the indentation of `def forward(self, …)`.",
    ),
    Mistake(
        "TypeError",
        r"got an unexpected keyword argument '(\w+)'",
        "There is no argument called {0} here.",
        "The function was called with a name that it does not know.",
        "Check the spelling in the documentation; tracking, for instance, is requires_grad=True.",
    ),
    Mistake(
        "TypeError",
        r"missing (\d+) required (?:positional|keyword-only) arguments?: (.+)",
        "A call left out what it must be given: {1}.",
        "Parameters without a default value must be passed.",
        "Compare the call with the `def` line.",
    ),
    Mistake(
        "TypeError",
        r"takes (?:from )?\d+(?: to \d+)? positional arguments? but (\d+) (?:was|were) given",
        "A call gave more arguments than the function takes.",
        "In a class, each method takes self first; it is counted too.",
        "Compare the call with the `def` line.",
    ),
    Mistake(
        "NameError",
        r"name '(\w+)' is not defined",
        "The name {0} is used, and nothing has been stored under it.",
        "It may be misspelt, made later, or made inside a function and used outside.",
        "Check its spelling, and that the line that makes it runs before this one.",
    ),
    Mistake(
        "UnboundLocalError",
        r"variable '(\w+)'",
        "{0} is read inside this function before it has a value.",
        "A function that assigns to a name makes that name its own, also on lines above the assignment.",
        "Pass {0} in as an argument, or give it a value first.",
    ),
    Mistake(
        "ModuleNotFoundError",
        r"No module named '([\w.]+)'",
        "There is no module {0} here.",
        "The sandbox has Python, NumPy and PyTorch; nothing can be installed in it.",
        "Check the spelling, or do without it.",
    ),
    Mistake(
        "IndexError",
        r"out of bounds for dimension|list index out of range|Dimension out of range",
        "A position was asked for that does not exist.",
        "Positions count from 0, so the last of n is n - 1.",
        "Print the .shape or the length just before this line.",
    ),
    Mistake(
        "EOFError",
        r"",
        "The program asked for typed input.",
        "Nobody is at a keyboard here, so input() finds nothing.",
        "Put the value into the code instead.",
    ),
    Mistake(
        "RecursionError",
        r"",
        "A function called itself too many times.",
        "Each call waits for the next; Python stops at about a thousand.",
        "Check that the function reaches a case in which it does not call itself.",
    ),
    Mistake(
        "MemoryError",
        r"",
        "The program ran out of memory.",
        "The sandbox gives each program a limited amount.",
        "Look for a list that grows without end, or for very large sizes.",
    ),
    Mistake(
        "SystemExit",
        r"",
        "The program ended itself before it could be checked.",
        "sys.exit(), exit() and quit() stop everything, so that nothing is left to look at.",
        "Take that call out.",
    ),
    Mistake(
        "KeyboardInterrupt",
        r"",
        "The program interrupted itself.",
        "KeyboardInterrupt was raised, which stands for Ctrl-C.",
        "Take out what raises it.",
    ),
    Mistake(
        "GeneratorExit",
        r"",
        "GeneratorExit was raised outside of a generator.",
        "It is Python's own signal to close a generator.",
        "Take out what raises it.",
    ),
    Mistake(
        "SyntaxError",
        r"'(.)' was never closed",
        "A bracket {0} was opened and not closed.",
        "Python reads on to find its partner, so that it may complain about a later line.",
        "Count the brackets on the marked line.",
    ),
    Mistake(
        "SyntaxError",
        r"expected ':'",
        "A colon is missing.",
        "Lines with if, else, for, while, def, class and with end in a colon.",
        "Put : at the end of the line.",
    ),
    Mistake(
        "IndentationError",
        r"",
        "The blanks at the start of this line do not fit.",
        "Python groups lines by their indentation.",
        "Use four spaces for each level, and no tabs.",
    ),
)
