"""What a grading is measured against: a bare fork that runs one snippet, without any isolation.

Here for both who do it: the template, which serves, and the benchmark's own forking process.
"""

from __future__ import annotations

from typing import Final

SNIPPET: Final = """
import torch

x = torch.tensor(1.0, requires_grad=True)
y = x * 2
if y.item() > 1.5:
    z = y * 3
else:
    z = y * 4
z.backward()
print(x.grad.item())
"""

# Everything that a process which forks may know of its surroundings. One thread in every numeric library, or
# a fork hangs.
ENVIRONMENT: Final = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
