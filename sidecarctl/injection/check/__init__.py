"""Detects injections that are not idempotent or not reversible."""
