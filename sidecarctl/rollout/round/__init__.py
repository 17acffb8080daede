"""One round of a set: partition and maxUnavailable, cold and hot upgrades, what they write on pods."""
