"""A round of a rollout: partition and maxUnavailable, cold and hot upgrades, what they write on pods."""
