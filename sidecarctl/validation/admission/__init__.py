"""What Kruise's webhook and the API server refuse (docs/behaviour/validation.md), in modules by theme. Pure."""
