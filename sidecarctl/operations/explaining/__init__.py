"""Why a pod has what it has, and which pods a SidecarSet has."""
