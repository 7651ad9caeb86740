# expect: failed, "the values are right", "differs from what is expected"

import torch


def smoothed(alpha: torch.Tensor | float, x: torch.Tensor) -> torch.Tensor:
    """x: (steps, ...). Returns: the smoothed steps, in the shape of x."""
    centred = x
    state = centred[0]
    states = [state]
    for step in centred[1:]:
        state = alpha * state + (1 - alpha) * step
        states.append(state)
    return torch.stack(states)
