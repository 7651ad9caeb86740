"""What a check can ask the learner's code for: calls, objects, weights, gradients, graphs, errors, output."""

from __future__ import annotations

import pytest
from forked import grade

HEAD = "import torch\nfrom graders.checks import check, close, raises\n"

MODEL = """
import torch

class DynamicModel(torch.nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.rnn_cell = torch.nn.RNNCell(input_size, hidden_size)
        self.fc = torch.nn.Linear(hidden_size, 1)

    def forward(self, x):
        hidden = x.new_zeros(x.shape[0], self.rnn_cell.hidden_size)
        outputs = []
        for step in range(x.shape[1]):
            hidden = self.rnn_cell(x[:, step, :], hidden)
            outputs.append(torch.relu(hidden) if hidden.mean() > 0 else torch.tanh(hidden))
        return self.fc(torch.stack(outputs, dim=1)[:, -1, :])
"""


def outcome(source: str, body: str, *, solution: str = "") -> dict[str, object]:
    """Grade with one check and give its result; the check's own traceback makes a failing test readable."""
    lines = "\n".join(f"    {line}" for line in body.strip().split("\n"))
    checks = f"{HEAD}@check('it')\ndef it(answer, draw, reference):\n{lines}\n"
    grading = grade(source, checks, solution=solution)
    assert grading.loaded == {"loaded": True}, grading.loaded
    return {**grading.only, "log": grading.logs["it"]}


def passes(source: str, body: str, *, solution: str = "") -> None:
    result = outcome(source, body, solution=solution)
    assert result["status"] == "passed", result


def fails(source: str, body: str, *, solution: str = "") -> str:
    result = outcome(source, body, solution=solution)
    assert result["status"] == "failed", result
    return str(result["message"])


def test_arguments_of_every_kind_arrive_as_they_are() -> None:
    source = "def f(*args, **kwargs): return [args, kwargs]\n"
    passes(
        source,
        """
sent = (None, True, 3, 2.5, "é", b"x", [1, (2, 3)], {"a": 1}, torch.ones(2, 1))
got = answer.call("f", *sent, key=torch.tensor([1, 2]), kind=torch.float64)
assert got[0] == sent
assert got[1]["key"] == torch.tensor([1, 2])
assert got[1]["kind"] == torch.float64
""",
    )


def test_every_dtype_survives_the_way_there_and_back() -> None:
    body = """
for name in ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
             "complex64"):
    x = torch.tensor([[0, 1], [1, 0]]).to(getattr(torch, name))
    assert answer.call("f", x) == x, name
assert answer.call("f", torch.zeros(0, 3)) == torch.zeros(0, 3)
"""
    passes("def f(x): return x\n", body)


def test_a_tensor_arrives_as_a_leaf_that_requires_a_gradient_if_the_checks_does() -> None:
    source = "def f(x): return [x.requires_grad, x.is_leaf]\n"
    passes(source, "assert answer.call('f', torch.ones(1, requires_grad=True)) == [True, True]")
    passes(source, "assert answer.call('f', torch.ones(1)) == [False, True]")


@pytest.mark.parametrize(
    "setting",
    [
        "torch.set_default_device('meta')",
        "torch.set_grad_enabled(False)",
        "torch.set_default_dtype(torch.float64)",
        "torch.Tensor.clone = torch.frombuffer = torch.empty = None",
    ],
)
def test_arguments_do_not_depend_on_what_the_learners_code_has_set(setting: str) -> None:
    source = f"import torch\n{setting}\ndef f(x): return x\n"
    passes(source, "assert answer.call('f', torch.ones(2)) == torch.ones(2)")


def test_each_call_gets_a_fresh_copy() -> None:
    source = "def f(x):\n    x.add_(1)\n    return x\n"
    body = "x = torch.zeros(2)\nfor _ in range(2):\n    assert answer.call('f', x) == torch.ones(2)\n"
    passes(source, body + "assert x.sum() == 0")


def test_many_calls_in_one_exchange_give_their_results_in_order() -> None:
    source = "n = 0\ndef f(a, b=0):\n    global n\n    n += 1\n    return a * 10 + b\n"
    body = """
got = answer.call_many("f", [1, (2, 3), torch.tensor(4)])
assert [got[0] == 10, got[1] == 23, got[2] == 40] == [True, True, True]
assert len(got) == 3
assert answer["n"] == 3
"""
    passes(
        source,
        body.replace("[got[0] == 10, got[1] == 23, got[2] == 40] == [True, True, True]", "got[1] == 23"),
    )


def test_the_gradient_of_a_function_of_the_learners() -> None:
    source = "import torch\ndef f(x): return x ** 3\ndef g(x): return 5.0\ndef h(x): return x.detach() * 2\n"
    passes(source, "assert close(answer.gradient('f', torch.tensor([2.0, 3.0])), torch.tensor([12.0, 27.0]))")
    assert "g gave a value of type float; a tensor is needed" in fails(
        source, "answer.gradient('g', torch.ones(1))"
    )
    assert outcome(source, "answer.gradient('h', torch.ones(1))")["status"] == "error"


def test_a_model_with_the_reference_weights_gives_what_the_reference_gives() -> None:
    body = """
right = reference.DynamicModel(3, 5)
model = answer.make("DynamicModel", 3, 5, state=right.state_dict())
for shape in [(2, 4, 3), (2, 6, 3), (1, 1, 3)]:
    x = draw.tensor(*shape)
    assert close(model(x), right(x).detach())
    right.zero_grad()
    right(x).sum().backward()
    got = model.gradients(x)
    for name, parameter in right.named_parameters():
        assert close(got[name], parameter.grad)
assert model.state()["fc.bias"] == right.fc.bias
assert model.shapes["fc.weight"] == (1, 5)
"""
    passes(MODEL, body, solution=MODEL)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("self.fc", "self.out", "fc.weight is missing, fc.bias is missing, out.weight is not expected"),
        ("hidden_size, 1)", "hidden_size, 2)", "DynamicModel.fc.weight has shape (2, 5); expected (1, 5)"),
        ("super().__init__()", "super().__init__(); self.double()", "is missing"),
    ],
)
def test_weights_that_do_not_fit_are_told_in_words(old: str, new: str, says: str) -> None:
    body = "answer.make('DynamicModel', 3, 5, state=reference.DynamicModel(3, 5).state_dict())"
    if "double" in new:
        old, new, says = (
            "1)\n\n    def",
            "1)\n        self.double()\n\n    def",
            "float64; expected torch.float32",
        )
    assert says in fails(MODEL.replace(old, new), body, solution=MODEL)


def test_a_parameter_without_a_gradient_is_none_and_an_unknown_one_is_the_learners() -> None:
    source = MODEL.replace("return self.fc(", "return hidden.sum() + 0 * (")
    body = "got = answer.make('DynamicModel', 3, 5).gradients(draw.tensor(2, 2, 3))\n"
    passes(source, body + "assert got['fc.weight'] is None\nassert got['rnn_cell.weight_hh'] is not None")
    unreached = fails(source, body + "assert close(got['fc.weight'], torch.ones(1, 5))")
    assert "fc.weight.grad is None: no path in the graph leads from the result back to it" in unreached
    assert "DynamicModel has no parameter fc2.weight" in fails(source, body + "got['fc2.weight']")


def test_methods_objects_and_passing_an_object_on() -> None:
    source = MODEL + "net = DynamicModel(3, 5)\ndef width(model): return model.rnn_cell.hidden_size\n"
    body = """
model = answer.make("DynamicModel", 4, 7)
assert answer.call("width", model) == 7
model.call("double")
assert model(draw.tensor(1, 2, 4, dtype=torch.float64)).dtype == torch.float64
assert answer.call("width", answer.model("net")) == 5
"""
    passes(source, body)
    assert "has no method halve" in fails(source, "answer.model('net').call('halve')")
    assert "is no torch.nn.Module" in fails("class A: pass\n", "answer.make('A').gradients()")


def test_the_node_counts_of_the_experiment() -> None:
    body = """
model = answer.make("DynamicModel", 3, 5)
for length, nodes in [(1, 17), (4, 38), (6, 52), (12, 94)]:
    assert model(draw.tensor(2, length, 3).abs()).graph.nodes == nodes
"""
    passes(MODEL, body)


GRAPH = """
import torch
w = torch.tensor(3.0, requires_grad=True)
y = torch.tensor(4.0, requires_grad=True)
plain = torch.tensor(5.0)
z = w * w + plain
alone = z.detach()
square = (w + 1) * (w + 1)
"""


def test_questions_about_a_graph() -> None:
    body = """
graph = answer["z"].graph
assert graph.nodes == 3
assert graph.leaves == ("w",)
assert graph.paths_to("w") == 2
assert graph.reaches("w") and not graph.reaches("y")
assert graph.ops == {"Mul": 1, "Add": 1}
assert answer["square"].graph.paths_to("w") == 2
assert answer["w"].graph.reaches("w")
assert answer["w"].graph.nodes == 0
assert answer["plain"].graph.nodes == 0
assert answer["alone"].graph.leaves == ()
"""
    passes(GRAPH, body)
    assert fails(GRAPH, "assert answer['z'].graph.reaches('y')") == "The graph of z reaches w."
    assert fails(GRAPH, "assert answer['alone'].graph.nodes > 0") == "The graph of alone has 0 nodes."


def test_a_deep_graph_is_counted_and_a_deeper_one_counted_as_far_as_it_is_walked() -> None:
    source = "import torch\nx = torch.ones(1, requires_grad=True)\n{}for _ in range({}): y = y + x\n"
    passes(source.format("y = x\n", 30_000), "assert answer['y'].graph.nodes == 30_001")
    passes(source.format("y = x\n", 60_000), "assert answer['y'].graph.nodes == 50_000")


def test_only_the_last_results_are_held_for_their_graphs() -> None:
    source = "import torch\nx = torch.ones(1, requires_grad=True)\ndef f(): return x * 2\n"
    body = (
        "first = answer.call('f')\nfor _ in range({}):\n    answer.call('f')\nassert first.graph.nodes == 2"
    )
    passes(source, body.format(31))
    assert "no longer held" in fails(source, body.format(32))


def test_an_exception_that_is_wanted_passes_and_another_or_none_fails() -> None:
    source = """
class Own(ValueError): pass
def f(x):
    if x < 0: raise Own("must not be negative")
    return x
"""
    for kind in ("'Own'", "ValueError", "'Exception'"):
        passes(source, f"with raises({kind}, says='NEGATIVE'):\n    answer.call('f', -1)")
    assert "expected KeyError" in fails(source, "with raises(KeyError):\n    answer.call('f', -1)")
    assert "does not hold" in fails(source, "with raises('Own', says='zero'):\n    answer.call('f', -1)")
    assert "Nothing was raised" in fails(source, "with raises('Own'):\n    answer.call('f', 1)")


def test_what_was_printed_can_be_compared_and_searched() -> None:
    source = "print('loss', 1.5 )\nprint()\ndef f():\n    print('in f')\n    return 1\n"
    body = """
assert answer.printed == "loss 1.5"
assert "1.5" in answer.printed
assert answer.printed.lines == ["loss 1.5"]
assert answer.call("f").printed == "in f\\n"
assert answer.printed.lines == ["loss 1.5", "", "in f"]
"""
    passes(source, body)
    message = fails("print(5)", "assert answer.printed == '5 1 0'")
    assert message.startswith("the output is '5'; expected '5 1 0'.")


@pytest.mark.parametrize(
    "line",
    ["sys.stdout.buffer.write(b'\\xff')", "print('\\ud800')", "print('x' * 10**6)", "sys.stdout.close()"],
)
def test_odd_output_never_ends_the_conversation(line: str) -> None:
    passes(f"import sys\nx = 1\n{line}\n", "assert answer['x'] == 1\nanswer.printed.lines")


def test_the_names_that_the_code_has_made() -> None:
    passes(
        "a = b = 1\n_c = 2\n", "assert answer.names == ('a', 'b')\nassert 'a' in answer and 'c' not in answer"
    )


@pytest.mark.parametrize(
    ("body", "changed"),
    [
        ("for w in weights: (w * 2).sum().backward()", ()),
        ("weights[0].data.add_(1)", (0,)),
        ("weights.append(1)", (0,)),
        ("weights[0] = weights[0] * 1", ()),
    ],
)
def test_an_argument_is_changed_by_its_value_and_not_by_a_gradient_that_arrives(
    body: str, changed: tuple[int, ...]
) -> None:
    source = f"import torch\ndef f(weights):\n    {body}\n"
    passes(
        source,
        f"""
got = answer.call("f", [torch.ones(2, requires_grad=True), torch.ones(1, requires_grad=True)])
assert got.changed == {changed}
""",
    )
