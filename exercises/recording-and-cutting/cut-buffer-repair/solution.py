import torch


def smoothed(alpha: torch.Tensor | float, x: torch.Tensor) -> torch.Tensor:
    """x: (steps, ...). Returns: the smoothed steps, in the shape of x."""
    centred = x - x.mean(dim=0)
    state = centred[0]
    states = [state]
    for step in centred[1:]:
        state = alpha * state + (1 - alpha) * step
        states.append(state)
    return torch.stack(states)


if __name__ == "__main__":
    alpha = torch.tensor(0.5, requires_grad=True)
    print(smoothed(alpha, torch.tensor([1.0, 2.0, 6.0])))
    smoothed(alpha, torch.tensor([1.0, 2.0, 6.0])).sum().backward()
    print("alpha.grad is", alpha.grad)
