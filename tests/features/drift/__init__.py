"""`sidecarctl drift`."""
