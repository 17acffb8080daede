"""What Kruise's webhook and the API server reject (docs/behaviour/validation.md), in modules by theme. Pure."""
