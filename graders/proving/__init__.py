"""Content proves itself: solutions pass, wrong answers fail as they say, claims about code are run."""

from graders.proving.claims import Claim, prove_claim
from graders.proving.exercises import Attempt, attempts, prove_exercise
from graders.proving.proof import Grades, Proof

__all__ = ["Attempt", "Claim", "Grades", "Proof", "attempts", "prove_claim", "prove_exercise"]
