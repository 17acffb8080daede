"""The result of a rollout: the plan, its ending in words, the state of each pod."""
