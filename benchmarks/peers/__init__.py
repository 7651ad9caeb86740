"""The same exercise, graded by what people use today."""
