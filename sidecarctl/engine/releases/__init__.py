"""The behavior of each Kruise release, as values that the computing code reads. Pure."""
