"""Which pods a SidecarSet updates, in which order, how many at once; the simulation to the end. Pure."""
