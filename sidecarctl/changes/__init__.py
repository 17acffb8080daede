"""Differences between two values, and JSON patches. Pure."""
