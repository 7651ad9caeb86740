"""From a stored submission to a stored verdict."""
