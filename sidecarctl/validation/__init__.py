"""What Kruise's webhook refuses. Pure."""
