"""What runs within the jails: the learner's side, the checker's side, and what they say to each other.

`learner.py` and everything it imports know nothing of ours but `graders.wire`: they run among strangers.
"""
