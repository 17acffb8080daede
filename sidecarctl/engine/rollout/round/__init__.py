"""A round of a rollout: the order of pods, partition and maxUnavailable, upgrades, what they write on pods."""
