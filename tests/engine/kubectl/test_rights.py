"""The roles in docs/push.md allow exactly what `--live` reads."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import yaml

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.kubectl.live import PATHS

PAGE = Path(__file__).parents[3] / "docs" / "push.md"
NAMED = {"mutatingwebhookconfigurations": "kruise-mutating-webhook-configuration"}
"""Lists of one object, by its kind: they are requested with a field selector."""


class Right(NamedTuple):
    """A right to read; `resource` is a path such as `/version` if it is not a kind of object."""

    verb: str
    resource: str
    group: str = ""
    namespace: str = ""
    name: str = ""


def needed(path: str) -> Right:
    """The right to read a path of the API; the right to all pods covers those of one namespace."""
    found = re.fullmatch(r"/(?:api|apis/([^/]+))/[^/]+(?:/namespaces/([^/]+))?/([a-z]+)(?:/([^/]+))?", path)
    if found is None:
        return Right("get", path)
    group, namespace, resource, name = (part or "" for part in found.groups())
    if name:
        return Right("get", resource, group, namespace, name)
    return Right("list", resource, group, namespace.strip("*"), NAMED.get(resource, ""))


def roles() -> Iterator[Object]:
    """The roles on the page."""
    [block] = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    yield from yaml.safe_load_all(block)


def granted() -> Iterator[Right]:
    """The rights of the roles on the page."""
    for role in roles():
        for rule in role["rules"]:
            assert rule["verbs"] in (["get"], ["list", "watch"])
            verb = rule["verbs"][0]
            yield from (Right(verb, url) for url in rule.get("nonResourceURLs", []))
            for group in rule.get("apiGroups", []):
                for resource in rule["resources"]:
                    for name in rule.get("resourceNames", [""]):
                        yield Right(verb, resource, group, role["metadata"].get("namespace", ""), name)


def test_the_roles_allow_what_is_read_and_nothing_else() -> None:
    assert set(granted()) == {needed(path) for path in PATHS}
