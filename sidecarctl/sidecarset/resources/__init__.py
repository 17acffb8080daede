"""resourcesPolicy: the expression language, and the resources computed for a sidecar."""
