"""Content proves itself: solutions pass, mistakes fail as they should, claims about code are run."""

from graders.proving.claims import Claim, prove_claim
from graders.proving.exercises import Attempt, attempts, prove_exercise
from graders.proving.killing import mutants_attempt, score
from graders.proving.proof import Compares, Grades, Proof

__all__ = [
    "Attempt",
    "Claim",
    "Compares",
    "Grades",
    "Proof",
    "attempts",
    "mutants_attempt",
    "prove_claim",
    "prove_exercise",
    "score",
]
