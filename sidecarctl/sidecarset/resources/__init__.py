"""resourcesPolicy: the expression language and the resources that it gives a sidecar."""
