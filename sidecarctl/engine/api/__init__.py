"""The Kubernetes and Kruise APIs: fields, quantities, selectors, workload kinds. Pure."""
