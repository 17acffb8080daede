"""Why a pod has its sidecars, and which pods a SidecarSet applies to."""
