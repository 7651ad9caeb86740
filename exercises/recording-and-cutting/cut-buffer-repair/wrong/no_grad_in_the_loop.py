# expect: error, "alpha learns from every step", "does not require grad"

import torch


def smoothed(alpha: torch.Tensor | float, x: torch.Tensor) -> torch.Tensor:
    """x: (steps, ...). Returns: the smoothed steps, in the shape of x."""
    centred = x - x.mean(dim=0)
    state = centred[0]
    states = [state]
    with torch.no_grad():
        for step in centred[1:]:
            state = alpha * state + (1 - alpha) * step
            states.append(state)
    return torch.stack(states)
