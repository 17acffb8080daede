"""ControllerRevisions of a set: made, kept, chosen for a new pod, restored."""
