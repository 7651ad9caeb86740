import torch

from graders.checks import check, close

TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}


def drawn(draw, batch=3, width=4, features=2, dtype=torch.float32):
    """x, query and a mask with two or more real steps in each row and one or more of padding."""
    x = draw.tensor(batch, width, features, dtype=dtype, low=-2.0, high=2.0)
    query = draw.tensor(features, dtype=dtype, low=0.5, high=1.5)
    rows = [
        draw.shuffled([True, True, False, *draw.shuffled([True, False] * width)[: width - 3]])
        for _ in range(batch)
    ]
    return x, query, torch.tensor(rows)


def right(x, query, mask):
    """Row by row, over the real steps alone."""
    found = []
    for row, real in zip(x, mask, strict=True):
        steps = row[real]
        found.append(torch.softmax(steps @ query, dim=0) @ steps)
    return torch.stack(found)


@check(
    "the weighted sums are right",
    points=2,
    hint="Fill the padded scores with minus infinity, then take the softmax over the steps.",
)
def values(answer, draw):
    for dtype, width in ((torch.float32, 4), (torch.float64, 5), (torch.float32, 3)):
        x, query, mask = drawn(draw, width=width, dtype=dtype)
        got = answer.call("attend", x, query, mask)
        plain = close(got, right(x, query, torch.ones_like(mask)), **TOLERANCE).holds
        assert close(got, right(x, query, mask), **TOLERANCE), (
            "Your sums are those of all steps: the padding has a share of the weights." if plain else ""
        )
        assert not got.changed


@check(
    "padding gets the weight zero",
    hint="A score of minus infinity has a softmax of exactly zero; one that is merely small has not.",
)
def padding(answer, draw):
    x, query, mask = drawn(draw)
    for size in (0.0, 5.0, 1000.0):
        filled = torch.where(mask[:, :, None], x, size)
        assert close(answer.call("attend", filled, query, mask), right(x, query, mask), **TOLERANCE)


@check(
    "gradients reach x and the query",
    points=2,
    hint="Nothing may be cut: look for detach(), data and no_grad().",
)
def gradients(answer, draw):
    for width in (4, 6):
        x, query, mask = drawn(draw, width=width)
        leaf = x.clone().requires_grad_()
        right(leaf, query, mask).sum().backward()
        assert close(answer.gradient("attend", x, query, mask), leaf.grad, rtol=1e-3, atol=1e-5)
        got = answer.call("attend", leaf.detach().requires_grad_(), query.requires_grad_(), mask)
        assert got.grad_fn is not None
        found = sum(node.leaf is not None for node in got.graph.listed)
        assert found == 2, f"The sums lead back to {found} of x and query; it should be both."
