"""Injection as a KRM function, for kustomize and kpt: its own entry point, without Typer."""
