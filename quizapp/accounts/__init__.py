"""People: who they are, how they sign in, and the one-time links that let them in without a password."""
