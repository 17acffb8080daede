"""What a SidecarSet means: defaults, hashes, revisions, selectors, matching, resource expressions. Pure."""
