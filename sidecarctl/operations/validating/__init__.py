"""Manifests as validation is given them, and what it found as a report."""
