"""SidecarInjection: the options of an injection as a Kubernetes-style object."""
