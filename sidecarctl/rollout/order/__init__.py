"""In which order waiting pods are updated: base order, priority, scatter."""
