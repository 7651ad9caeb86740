from functools import partial

import torch

from graders.checks import check, close

# How far every |hidden.mean()| stays from 0, so that rounding cannot flip a branch.
MARGIN = 0.02
# How many inputs are drawn at once to find one for each branch; with few, weights are drawn again more often.
CANDIDATES = 48
# Rows side by side are summed in another order than rows alone.
TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}


def redraw_weights(model, draw):
    """Give every parameter drawn values, large enough for both branches to be common."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(draw.tensor(*parameter.shape))


def row_means(model, x):
    """The mean of each sequence's hidden state after each step. x: (n, length, 3). Returns: (n, length)."""
    hidden = x.new_zeros(x.shape[0], model.rnn_cell.hidden_size)
    found = []
    with torch.no_grad():
        for step in range(x.shape[1]):
            hidden = model.rnn_cell(x[:, step, :], hidden)
            found.append(hidden.mean(dim=1))
    return torch.stack(found, dim=1)


def case(reference, draw, batch, length, *, input_agrees=None):
    """A reference model of the experiment's sizes, and two inputs (batch, length, 3): the last step of the
    first takes relu, that of the second tanh.

    No step of either is close to the edge. In a batch of several, the last step of some row would have gone
    the other way alone, so that a condition for each row gives something else than the one for the batch.
    input_agrees: whether a condition on the last step's input would have gone the same way; None for either.
    """
    model = reference.DynamicModel(3, 5)
    while True:
        redraw_weights(model, draw)
        many = draw.tensor(CANDIDATES, batch, length, 3, low=-2.0, high=2.0)
        rows = row_means(model, many.flatten(0, 1)).reshape(CANDIDATES, batch, length)
        whole = rows.mean(dim=1)  # (candidates, length): what the condition looks at
        takes_relu = whole[:, -1] > 0
        last = rows[:, :, -1]
        torn = ((last > MARGIN) & ~takes_relu[:, None]) | ((last < -MARGIN) & takes_relu[:, None])
        telling = (whole.abs() > MARGIN).all(dim=1) & (torn.any(dim=1) | (batch == 1))
        if input_agrees is not None:
            telling &= ((many[:, :, -1].mean(dim=(1, 2)) > 0) == takes_relu) == input_agrees
        relu, tanh = many[telling & takes_relu], many[telling & ~takes_relu]
        if len(relu) and len(tanh):
            return model, [relu[0], tanh[0]]


@check("every length and batch gives (batch, 1)", hint="Print the shape at each step of forward.")
def shapes(answer, draw):
    model = answer.make("DynamicModel", 3, 5)
    for shape in ((2, 4, 3), (2, 6, 3), (2, 1, 3), (1, 5, 3)):
        assert model(draw.tensor(*shape)).shape == (shape[0], 1)
    assert answer.make("DynamicModel", 4, 7)(draw.tensor(3, 2, 4)).shape == (3, 1)


@check(
    "the values are those of the reference",
    points=3,
    hint="Name the layers rnn_cell and fc. The cell gets the hidden state as it left it, not the activation. "
    "The condition looks at the mean of that state, over the whole batch.",
)
def values(answer, draw, reference):
    trials = []  # (model, input, what the learner's model gives for it)
    for batch, length, input_agrees in ((2, 4, True), (2, 6, False), (2, 1, None), (1, 5, None)):
        right, inputs = case(reference, draw, batch, length, input_agrees=input_agrees)
        model = answer.make("DynamicModel", 3, 5, state=right.state_dict())
        trials += [(right, x, model(x)) for x in inputs]
    for right, x, got in trials:
        assert close(got, right(x), **TOLERANCE), known_mistake(trials)


def known_mistake(trials):
    """The mistake that explains every output, in a sentence; "" leaves it to the comparison."""
    with torch.no_grad():
        for mistake, forward in MISTAKES.items():
            if all(close(got, forward(right, x), **TOLERANCE).holds for right, x, got in trials):
                return f"Your model gives what it would give if {mistake}."
    return ""


def always_relu(hidden, _step):
    return torch.relu(hidden)


def always_tanh(hidden, _step):
    return torch.tanh(hidden)


def swapped(hidden, _step):
    return torch.tanh(hidden) if hidden.mean() > 0 else torch.relu(hidden)


def by_row(hidden, _step):
    return torch.where(hidden.mean(dim=1, keepdim=True) > 0, torch.relu(hidden), torch.tanh(hidden))


def by_input(hidden, step):
    return torch.relu(hidden) if step.mean() > 0 else torch.tanh(hidden)


def as_asked(hidden, _step):
    return torch.relu(hidden) if hidden.mean() > 0 else torch.tanh(hidden)


def run(model, x, activation, *, feed_back=False, take=-1):
    """The experiment's forward pass with one thing done otherwise: the activation, a function of the hidden
    state and the step's input; what the cell is fed with; or the step whose output is taken.
    """
    hidden = x.new_zeros(x.shape[0], model.rnn_cell.hidden_size)
    outputs = []
    for step in x.unbind(dim=1):
        hidden = model.rnn_cell(step, hidden)
        outputs.append(activation(hidden, step))
        hidden = outputs[-1] if feed_back else hidden
    return model.fc(outputs[take])


MISTAKES = {
    "relu were applied whatever the condition says": partial(run, activation=always_relu),
    "tanh were applied whatever the condition says": partial(run, activation=always_tanh),
    "relu and tanh had changed places": partial(run, activation=swapped),
    "each sequence decided by its own mean, not by that of the batch": partial(run, activation=by_row),
    "the mean of the input decided, not that of the hidden state": partial(run, activation=by_input),
    "the activation were fed back into the cell": partial(run, activation=as_asked, feed_back=True),
    "the first step's output went through fc, not the last one's": partial(run, activation=as_asked, take=0),
}


@check(
    "the gradients are those of the reference",
    points=2,
    hint="Something on the way back may be cut: look for detach(), item(), data or no_grad().",
)
def gradients(answer, draw, reference):
    for length in (2, 5):  # at length 1 the gradient of weight_hh is 0 whatever one does
        right, inputs = case(reference, draw, 2, length)
        model = answer.make("DynamicModel", 3, 5, state=right.state_dict())
        for x in inputs:
            right.zero_grad()
            right(x).sum().backward()
            got = model.gradients(x)
            for name, parameter in right.named_parameters():
                assert got[name] is not None
                assert close(got[name], parameter.grad, rtol=1e-3, atol=1e-5)


@check("the graph grows with the length", hint="Let the loop run once for each step of this input.")
def growth(answer, draw):
    model = answer.make("DynamicModel", 3, 5)
    sizes = [model(draw.tensor(2, length, 3)).graph.nodes for length in (2, 5, 9)]
    assert sizes[0] < sizes[1] < sizes[2], (
        f"For lengths 2, 5 and 9 the graph has {sizes[0]}, {sizes[1]} and {sizes[2]} nodes: it does not grow."
    )


@check(
    "the model works in float64",
    hint="Make the first hidden state with x.new_zeros(...), so that it has the dtype of the input.",
)
def double_precision(answer, draw):
    model = answer.make("DynamicModel", 3, 5)
    model.call("double")
    output = model(draw.tensor(2, 4, 3, dtype=torch.float64))
    assert output.dtype == torch.float64
    assert output.shape == (2, 1)
