"""The autograd graph behind a tensor, as plain bounded data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from graders.inside.observer import is_exact_tensor, type_name
from graders.inside.own import keep_builtins

keep_builtins(globals())

MAX_COUNTED = 50_000  # nodes, inclusive
MAX_LISTED = 400  # nodes whose names, edges and shapes are told, inclusive

_Base: Any = torch._C.TensorBase
_grad_fn, _requires_grad, _shape = _Base.grad_fn.__get__, _Base.requires_grad.__get__, _Base.shape.__get__


def walk(tensor: Any, names: Mapping[int, str]) -> dict[str, Any]:
    """The graph that `backward()` on `tensor` would follow, breadth first from its grad_fn.

    tensor: of exact type Tensor or Parameter. names: `id(leaf)` to the name that the learner knows it by.
    Returns: "is": "graph"; nodes: how many, AccumulateGrad nodes included; complete: False if the count
    stopped at MAX_COUNTED; listed: for the first MAX_LISTED nodes their op name, output shape (or None) and,
    for a leaf, the leaf's name ("" if it has none); edges: [from, to] pairs of positions in `listed`. A leaf
    that requires grad has no node of its own: nodes is 0 and `leaf` its name; else leaf is None.
    """
    root = _grad_fn(tensor)
    if root is None:
        leaf = names.get(id(tensor), "") if _requires_grad(tensor) else None
        return {"is": "graph", "nodes": 0, "complete": True, "leaf": leaf, "listed": [], "edges": []}
    found: list[Any] = [root]  # keeps the Python objects of the nodes alive, so that their ids stay theirs
    position = {id(root): 0}
    edges: list[list[int]] = []
    complete = True
    for at, node in enumerate(found):  # grows while it is walked
        for following, _ in node.next_functions:
            if following is None:
                continue
            if id(following) not in position:
                if len(found) >= MAX_COUNTED:
                    complete = False
                    continue
                position[id(following)] = len(found)
                found.append(following)
            if at < MAX_LISTED and position[id(following)] < MAX_LISTED:
                edges.append([at, position[id(following)]])
    listed = [_node(node, names) for node in found[:MAX_LISTED]]
    return {
        "is": "graph",
        "nodes": len(found),
        "complete": complete,
        "leaf": None,
        "listed": listed,
        "edges": edges,
    }


def leaf_names(namespace: Mapping[str, Any], modules: list[tuple[str, Any]]) -> dict[int, str]:
    """`id` to name for the tensors of a namespace and the parameters of modules; (prefix, module) each."""
    names: dict[int, str] = {}
    for prefix, module in modules:
        for name, parameter in module_parameters(module).items():
            names.setdefault(id(parameter), f"{prefix}{name}")
    for name, value in [*namespace.items()]:
        if type(name) is str and is_exact_tensor(value):
            names[id(value)] = name
    return names


def module_parameters(module: Any, limit: int = 2_000) -> dict[str, Any]:
    """The named parameters of an nn.Module; none where the learner's class breaks the walk."""
    try:
        return dict([*_named_parameters(module)][:limit])
    except Exception:
        return {}


_named_parameters = torch.nn.Module.named_parameters


def _node(node: Any, names: Mapping[int, str]) -> dict[str, Any]:
    name = type_name(type(node))
    leaf = names.get(id(node.variable), "") if name == "AccumulateGrad" else None
    return {"op": name, "shape": _output_shape(node), "leaf": leaf}


def _output_shape(node: Any) -> list[int] | None:
    try:
        return [int(size) for size in node._input_metadata[0].shape]
    except Exception:  # a node without metadata: its shape is an extra, never worth a failure
        return None
