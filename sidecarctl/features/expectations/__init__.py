"""Tests of a repository (`sidecarctl test`): what must stay true about sidecars, in files next to the manifests."""
