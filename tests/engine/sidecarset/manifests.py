"""Manifests that tests begin with."""

from sidecarctl.engine.facts.values import Object, Value


def sidecarset(version: str = "v1beta1", *, metadata: Object | None = None, **spec: Value) -> Object:
    """A small SidecarSet; members of `spec` replace those that it has."""
    return {
        "apiVersion": f"apps.kruise.io/{version}",
        "kind": "SidecarSet",
        "metadata": {"name": "mesh"} | (metadata or {}),
        "spec": {
            "selector": {"matchLabels": {"app": "web"}},
            "containers": [{"name": "proxy", "image": "mesh/proxy:1.19"}],
        }
        | spec,
    }
