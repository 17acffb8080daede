"""Findings about SidecarSets, and about what they select."""
