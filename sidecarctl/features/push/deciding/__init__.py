"""Decides what to do next: no clock, no network."""
