"""How far SidecarSets are rolled out."""
