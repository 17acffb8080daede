"""The order in which waiting pods are updated: base order, priority, scatter."""
