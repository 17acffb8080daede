"""Paths of the API, of which every part that comes from outside is quoted."""

from urllib.parse import quote

SIDECARSETS = "/apis/apps.kruise.io/v1beta1/sidecarsets"
ALL_PODS = "/api/v1/pods"


def pods_path(namespace: str) -> str:
    """The pods of a namespace; of all, where it is empty."""
    return f"/api/v1/namespaces/{_segment(namespace)}/pods" if namespace else ALL_PODS


def pod_path(namespace: str, name: str, subresource: str = "") -> str:
    """A pod, or a subresource of it."""
    return f"{pods_path(namespace)}/{_segment(name)}" + (f"/{subresource}" if subresource else "")


def namespace_path(name: str) -> str:
    """A namespace."""
    return f"/api/v1/namespaces/{_segment(name)}"


def disruption_budgets_path(namespace: str) -> str:
    """The PodDisruptionBudgets of a namespace."""
    return f"/apis/policy/v1/namespaces/{_segment(namespace)}/poddisruptionbudgets"


def sidecarset_path(version: str, name: str = "") -> str:
    """A SidecarSet in an API version; without a name all of them."""
    return f"/apis/apps.kruise.io/{version}/sidecarsets" + (f"/{_segment(name)}" if name else "")


def _segment(text: str) -> str:
    """A name as one segment of a path: never a step up, never nothing."""
    if text in ("", ".", ".."):
        raise ValueError(f"no name of an object: {text!r}")
    return quote(text, safe="")
