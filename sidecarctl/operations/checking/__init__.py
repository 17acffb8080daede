"""Checks that several operations share: of what a release knows, of SidecarSets, of injected pods."""
