"""The roles in docs/push.md and of `plan --live --print-rbac` allow exactly what is read."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import yaml

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.kubectl.api_requests import VERSION
from sidecarctl.engine.kubectl.live import PATHS
from tests.cli.running import run

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


def granted(given: Iterable[Object], verbs: Sequence[str] = ("list", "watch")) -> Iterator[Right]:
    """The rights of roles, which all read in this way."""
    for role in given:
        for rule in role["rules"]:
            assert rule["verbs"] in (["get"], [*verbs])
            verb = rule["verbs"][0]
            yield from (Right(verb, url) for url in rule.get("nonResourceURLs", []))
            for group in rule.get("apiGroups", []):
                for resource in rule["resources"]:
                    for name in rule.get("resourceNames", [""]):
                        yield Right(verb, resource, group, role["metadata"].get("namespace", ""), name)


def test_the_roles_of_the_page_allow_what_is_read_and_nothing_else() -> None:
    assert set(granted(roles())) == {needed(path) for path in PATHS}


def printed(*options: str) -> list[Object]:
    """The roles that `plan --live --print-rbac` prints."""
    ended = run("plan", "--live", "--print-rbac", *options, env={"PATH": ""})  # no kubectl: nothing is asked
    assert (ended.code, ended.stderr) == (0, "")
    return list(yaml.safe_load_all(ended.stdout))


def test_a_plan_needs_the_rights_of_the_page_except_for_the_version_of_kubernetes() -> None:
    assert {*granted(printed("--watch", "--recreate"))} == {*granted(roles())} - {Right("get", VERSION)}


def test_a_plan_asks_for_no_more_than_it_uses() -> None:
    usual, recreating = ({*granted(printed(*words), ["list"])} for words in ((), ("--recreate",)))
    assert {right.resource for right in recreating - usual} == {"daemonsets"}
    shop = {*granted(printed("-n", "shop"), ["list"])}
    assert usual - shop == {Right("list", "pods")}
    assert shop - usual == {Right("list", "pods", "", "shop")}


def test_a_plan_from_files_needs_no_rights() -> None:
    ended = run("plan", "--print-rbac", "sidecarset.yaml")
    assert (ended.code, ended.stdout) == (2, "")
    assert "--print-rbac needs --live" in ended.stderr
