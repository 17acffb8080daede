"""What the Kubernetes and Kruise APIs say about fields, quantities, selectors and workloads. Pure."""
