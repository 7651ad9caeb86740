# expect: error, "unexpected keyword argument 'graph_static'"

import torch

a = torch.tensor(2.0, graph_static=True)
b = torch.tensor(3.0, graph_static=True)
c = a + b


def tracked_sum(first, second):
    return torch.tensor(first, graph_static=True) + torch.tensor(second, graph_static=True)
