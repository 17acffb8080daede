"""What OpenKruise SidecarSets do to Kubernetes pods, answered from files."""

__version__ = "0.1.0"
BEHAVIOUR = "Kruise 1.9 (with canary sets)"
