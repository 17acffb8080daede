"""What each release of Kruise does, as values that the computing code asks. Pure."""
