import torch


def attend(x: torch.Tensor, query: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    scores = x @ query
    # The padding still gets a share of the weights here.
    weights = torch.softmax(scores, dim=1)
    return (weights[:, :, None] * x).sum(dim=1)


x = torch.tensor([[[1.0], [1.0], [8.0]]])
mask = torch.tensor([[True, True, False]])
print("wanted: 1.0, got:", attend(x, torch.ones(1), mask).item())
