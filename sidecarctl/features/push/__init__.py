"""Carries out a plan on a live cluster: a machine decides, a thin shell watches, patches, records."""
