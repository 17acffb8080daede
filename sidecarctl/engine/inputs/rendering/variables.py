"""The variables that Flux puts into manifests: `${NAME}`, and `${NAME:=DEFAULT}`.

Source: Flux, "Kustomization", "Post build variable substitution". A variable without a value is empty, `$${NAME}`
becomes `${NAME}`, and an object may say that it has none.
"""

import json
import re

from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.inputs.rendering.deployments import not_rendered

_VARIABLE = lazy_pattern(rb"(\$?)\$\{([^}]*)\}")
_NAME = lazy_pattern(r"([A-Za-z_][A-Za-z0-9_]*)(?:(?::=|:-|=)([^$]*))?")
_DISABLED = lazy_pattern(rb"""kustomize\.toolkit\.fluxcd\.io/substitute["']?: *["']?disabled""")


def substituted(output: bytes, variables: str) -> bytes:
    """Manifests with the values of variables, which are JSON; InputError for a function of strings."""
    if not variables:
        return output
    values = json.loads(variables)

    def value(found: re.Match[bytes]) -> bytes:
        said = found[2].decode(errors="replace")
        if found[1]:
            return found[0][1:]
        name = _NAME.fullmatch(said)
        if name is None:
            raise not_rendered(f"spec.postBuild: ${{{said}}} is more than a name and a default")
        return str(values.get(name[1]) or name[2] or "").encode()

    parts = output.split(b"\n---\n")
    return b"\n---\n".join(part if _DISABLED.search(part) else _VARIABLE.sub(value, part) for part in parts)
