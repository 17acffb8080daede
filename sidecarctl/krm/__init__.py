"""Injection as a KRM function for kustomize and kpt: an entry point of its own, without Typer."""
