"""Answers: what was asked, what was typed, and what a grader decided about it."""
