"""What pods run, compared with what SidecarSets say."""
