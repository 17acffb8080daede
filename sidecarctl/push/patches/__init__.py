"""Patches made from live pods, sent, and what came of them."""
