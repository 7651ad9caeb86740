"""Questions about the autograd graph behind one of the learner's tensors."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from graders.checks.faults import Disagreement
from graders.checks.journal import Entry, journal


@dataclass(frozen=True)
class Node:
    """One operation of the graph.

    leaf: the leaf's name for an AccumulateGrad node ("" if it has none), else None.
    """

    op: str
    shape: tuple[int, ...] | None
    leaf: str | None


class Graph:
    """What `backward()` on a tensor would follow. All questions but `nodes` see its first 400 nodes."""

    def __init__(self, sent: Any, name: str) -> None:
        self.name = name
        try:
            self._count = int(sent["nodes"])
            self._root_leaf = None if sent["leaf"] is None else str(sent["leaf"])[:200]
            self.listed = tuple(_node(node) for node in sent["listed"])
            self.edges = tuple((int(start), int(end)) for start, end in sent["edges"])
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise Disagreement(f"The graph of {name} could not be read.") from error
        if any(not 0 <= at < len(self.listed) for edge in self.edges for at in edge):
            raise Disagreement(f"The graph of {name} could not be read.")

    @property
    def nodes(self) -> int:
        """How many nodes, those of leaves (AccumulateGrad) included; 0 for a tensor without grad_fn."""
        journal.note(Entry(f"The graph of {self.name} has {self._count} nodes.", got=f"{self._count}"))
        return self._count

    @cached_property
    def ops(self) -> Counter[str]:
        """How often each operation occurs, by its name without "Backward0": ops["Mul"] is 2."""
        return Counter(node.op.split("Backward")[0] for node in self.listed if node.leaf is None)

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """The names of the leaves that a gradient reaches, in the learner's words; unnamed ones left out."""
        if self._root_leaf:
            return (self._root_leaf,)
        return tuple(sorted({node.leaf for node in self.listed if node.leaf}))

    def reaches(self, leaf: str) -> bool:
        """Whether a gradient reaches the leaf of this name ("w", "fc.weight")."""
        found = leaf in self.leaves
        where = ", ".join(self.leaves) or "no leaf that has a name"
        journal.note(
            Entry(f"The graph of {self.name} reaches {where}.", got=where, expected=leaf, holds=None)
        )
        return found

    def paths_to(self, leaf: str) -> int:
        """Along how many different paths a gradient reaches the leaf: 2 for w in w * w."""
        if self._root_leaf == leaf:
            return 1
        paths = [0] * len(self.listed)
        if self.listed:
            paths[0] = 1
        for at in self._order():
            for end in self._following[at]:
                paths[end] += paths[at]
        found = sum(count for node, count in zip(self.listed, paths, strict=True) if node.leaf == leaf)
        journal.note(Entry(f"{_paths(found)} from {self.name} back to {leaf}.", got=f"{found}"))
        return found

    @cached_property
    def _following(self) -> list[list[int]]:
        following: list[list[int]] = [[] for _ in self.listed]
        for start, end in self.edges:
            following[start].append(end)
        return following

    def _order(self) -> list[int]:
        """Positions so that each comes before those that it leads to.

        What claims to be a cycle is left out.
        """
        waiting = [0] * len(self.listed)
        for _, end in self.edges:
            waiting[end] += 1
        ready = [at for at, count in enumerate(waiting) if count == 0]
        for at in ready:
            for end in self._following[at]:
                waiting[end] -= 1
                if waiting[end] == 0:
                    ready.append(end)
        return ready


def _paths(count: int) -> str:
    return "1 path leads" if count == 1 else f"{count if count else 'No'} paths lead"


def _node(sent: Any) -> Node:
    shape, leaf = sent["shape"], sent["leaf"]
    return Node(
        op=str(sent["op"])[:100],
        shape=None if shape is None else tuple(int(size) for size in shape),
        leaf=None if leaf is None else str(leaf)[:200],
    )
