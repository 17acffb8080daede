"""Reports of explanations."""
