"""What OpenKruise SidecarSets do to Kubernetes pods, answered from files."""

__version__ = "0.1.0"
