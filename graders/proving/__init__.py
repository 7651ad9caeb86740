"""Content proves itself: solutions pass, wrong answers fail as they say, claims about code are run."""

from graders.proving.claims import Claim, prove_claim
from graders.proving.exercises import prove_exercise
from graders.proving.proof import Grades, Proof

__all__ = ["Claim", "Grades", "Proof", "prove_claim", "prove_exercise"]
