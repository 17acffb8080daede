"""Bytes to documents: streams, parser events, values as Kubernetes types them, positions."""
