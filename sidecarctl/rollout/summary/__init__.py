"""What came of a rollout: the plan, its ending in words, the state of each pod."""
