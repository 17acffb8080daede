"""Injection as a KRM function for kustomize and kpt: a separate entry point, without Typer."""
