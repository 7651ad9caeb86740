import torch

from graders.checks import check, close, mistake

TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}


def right(x, lengths):
    return torch.stack([row[:n].sum(dim=0) / max(n, 1) for row, n in zip(x, lengths, strict=True)])


@check("each mean is over the real steps", points=2, hint="Divide the sum of the real steps by their number.")
def values(answer, draw):
    for dtype, width in ((torch.float32, 4), (torch.float64, 6), (torch.float32, 5)):
        lengths = draw.shuffled([1, 3, 4, 2])
        x = draw.tensor(4, width, 3, dtype=dtype)
        x[0, 0] = 0.0  # a real step may be all zeros
        got = answer.call("masked_mean", x, torch.tensor(lengths))
        expected = right(x, lengths)
        plain = close(got, x.mean(dim=1), **TOLERANCE).holds
        assert close(got, expected, **TOLERANCE), (
            "Your means are those over the whole width, padding included." if plain else ""
        )
        assert not got.changed


@check("an empty sequence gets zeros", hint="Divide by at least 1.")
def empty(answer, draw):
    lengths = draw.shuffled([0, 2, 1, 0])
    x = draw.tensor(4, 3, 2)
    got = answer.call("masked_mean", x, torch.tensor(lengths))
    assert close(got, right(x, lengths), **TOLERANCE)


@check("padding has no say", points=2, hint="Choose with torch.where; nan times 0 is nan.")
def padding(answer, draw):
    for fill in (50.0, float("inf"), float("nan")):
        lengths = draw.shuffled([1, 4, 2])
        x, slope = draw.tensor(3, 5, 2), torch.zeros(3, 5, 2)
        for row, n in enumerate(lengths):
            x[row, n:] = fill
            slope[row, :n] = 1 / n
        assert close(answer.call("masked_mean", x, torch.tensor(lengths)), right(x, lengths), **TOLERANCE)
        assert close(answer.gradient("masked_mean", x, torch.tensor(lengths)), slope, **TOLERANCE)


@mistake("padding has no say")
def multiplies_by_the_mask(answer, draw):
    x, one = draw.tensor(1, 2, 1), torch.tensor([1])
    found = []
    for fill in (7.0, float("nan")):
        x[0, 1] = fill
        found.append(close(answer.call("masked_mean", x, one), x[:, 0], **TOLERANCE).holds)
    if found == [True, False]:
        return "With 7.0 in the padding your mean is right, and with nan it is not: nan times 0 is still nan."
    return None
