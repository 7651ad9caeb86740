import torch

from graders.checks import check, close

# How far every sequence's |hidden.mean()| stays from 0, so that rounding cannot flip a branch.
MARGIN = 0.02
# How many sequences are drawn at once to find one for a branch.
CANDIDATES = 48
# Rows side by side are summed in another order than rows alone.
TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}


def redraw_weights(model, draw):
    """Give every parameter drawn values, large enough for both branches to be common."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(draw.tensor(*parameter.shape))


def sequence(model, draw, length, positive, ends_in_zeros):
    """One sequence (length, 3), clear of the edge, whose last step takes relu (positive) or tanh.

    Returns: None if these weights hardly ever take that branch.
    """
    many = draw.tensor(CANDIDATES, length, 3, low=-2.0, high=2.0)
    if ends_in_zeros:
        many[:, -1] = 0.0
    hidden = many.new_zeros(CANDIDATES, model.rnn_cell.hidden_size)
    clear = torch.ones(CANDIDATES, dtype=torch.bool)
    with torch.no_grad():
        for step in range(length):
            hidden = model.rnn_cell(many[:, step, :], hidden)
            clear &= hidden.mean(dim=1).abs() > MARGIN
    found = many[clear & ((hidden.mean(dim=1) > 0) == positive)]
    return found[0] if len(found) else None


def case(reference, draw, lengths, ends_in_zeros=False):
    """A reference model, and a sequence for each length; their last steps take relu and tanh in turn.

    ends_in_zeros: whether the last true step of each sequence is all zeros, as padding often is.
    """
    model = reference.PaddedModel(3, 5)
    while True:
        redraw_weights(model, draw)
        first = draw.choice([True, False])
        sequences = []
        for place, length in enumerate(lengths):
            one = sequence(model, draw, length, (place % 2 == 0) == first, ends_in_zeros)
            if one is None:
                break  # these weights hardly reach one of the branches: draw others
            sequences.append(one)
        else:
            return model, sequences


def padded(sequences, draw, width, size):
    """The sequences as one tensor (batch, width, 3); the padding is drawn from [-size, size)."""
    x = draw.tensor(len(sequences), width, 3) * size
    for row, one in enumerate(sequences):
        x[row, : len(one)] = one
    return x


def alone(model, sequences):
    """What each sequence gets by itself, (batch, 1)."""
    with torch.no_grad():
        return torch.cat([model(one.unsqueeze(0), torch.tensor([len(one)])) for one in sequences])


@check("the result has the shape (batch, 1)", hint="One number for each sequence, whatever its length.")
def shapes(answer, draw):
    model = answer.make("PaddedModel", 3, 5)
    for lengths, width in (([4, 2], 4), ([1, 3, 6], 6), ([5], 5), ([1], 1)):
        assert model(draw.tensor(len(lengths), width, 3), torch.tensor(lengths)).shape == (len(lengths), 1)


@check(
    "each sequence gets what it gets alone",
    points=3,
    hint="Let each sequence have a condition of its own, over the hidden dimension, and take its own last "
    "true step.",
)
def as_if_alone(answer, draw, reference):
    for lengths in ([6, 4, 3, 2], draw.shuffled([1, 2, 4, 5, 6]), [2, 6], [3]):
        right, sequences = case(reference, draw, lengths)
        model = answer.make("PaddedModel", 3, 5, state=right.state_dict())
        x = padded(sequences, draw, max(lengths), size=1.0)
        got = model(x, torch.tensor(lengths))
        assert close(got, alone(right, sequences), **TOLERANCE), known_mistake(right, x, lengths, got)
        assert not got.changed


def known_mistake(right, x, lengths, got):
    """The mistake that explains this output, in a sentence; "" leaves it to the comparison."""
    with torch.no_grad():
        batch_decides, row_decides = activations(right, x, by_batch), activations(right, x, by_row)
        rows, own = torch.arange(len(lengths)), torch.tensor(lengths) - 1
        guesses = {
            "the mean over the whole batch decided for every sequence": batch_decides[rows, own],
            "the last column were taken, padding or not": row_decides[:, -1],
            "the mean over the whole batch decided, and the last column were taken": batch_decides[:, -1],
        }
        for mistake, chosen in guesses.items():
            if close(got, right.fc(chosen), **TOLERANCE).holds:
                return f"Your model gives what it would give if {mistake}."
    return ""


def by_batch(hidden):
    return torch.relu(hidden) if hidden.mean() > 0 else torch.tanh(hidden)


def by_row(hidden):
    return torch.where(hidden.mean(dim=1, keepdim=True) > 0, torch.relu(hidden), torch.tanh(hidden))


def activations(model, x, activation):
    """Every step's activation, (batch, width, hidden_size), as if nothing were padding."""
    hidden = x.new_zeros(x.shape[0], model.rnn_cell.hidden_size)
    outputs = []
    for step in x.unbind(dim=1):
        hidden = model.rnn_cell(step, hidden)
        outputs.append(activation(hidden))
    return torch.stack(outputs, dim=1)


@check(
    "padding has no say",
    points=2,
    hint="Go by the lengths, not by what the padding looks like. The rectangle may be wider than the longest "
    "sequence.",
)
def padding(answer, draw, reference):
    lengths = draw.shuffled([2, 3, 5])
    right, sequences = case(reference, draw, lengths, ends_in_zeros=True)
    expected = alone(right, sequences)
    model = answer.make("PaddedModel", 3, 5, state=right.state_dict())
    right(padded(sequences, draw, 5, size=0), torch.tensor(lengths)).sum().backward()
    for width, size in ((5, 0), (5, 1.0), (7, 50.0)):
        x = padded(sequences, draw, width, size)
        assert close(model(x, torch.tensor(lengths)), expected, **TOLERANCE)
        got = model.gradients(x, torch.tensor(lengths))
        for name, parameter in right.named_parameters():
            assert close(got[name], parameter.grad, rtol=1e-3, atol=1e-5)
