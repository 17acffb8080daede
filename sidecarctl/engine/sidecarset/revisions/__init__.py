"""The ControllerRevisions of a SidecarSet: created, kept, chosen for a new pod, restored."""
