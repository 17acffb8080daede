"""The revisions of SidecarSets: list, make, compare, restore."""
