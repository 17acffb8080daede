"""The environment variable by which an injected container is known.

Source: docs/behaviour/injection.md, "What is written".
"""

from sidecarctl.facts.values import Object

NAME = "IS_INJECTED"


def marking_env() -> Object:
    """The env entry that every injected container gets."""
    return {"name": NAME, "value": "true"}


def is_injected(container: Object) -> bool:
    """Whether a container's first env of that name marks it as injected."""
    for env in container.get("env") or ():
        if env is not None and env.get("name") == NAME:
            return bool(env.get("value") == "true")
    return False


def is_marked(container: Object) -> bool:
    """Whether any env of a container marks it as injected, including one after the sidecar's own of that name."""
    return any(env == marking_env() for env in container.get("env") or ())
