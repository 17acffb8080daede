"""Removes what injection added to a pod."""
