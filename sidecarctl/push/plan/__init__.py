"""What is to be done: the plan with a step for each patch, and how the push is to go."""
