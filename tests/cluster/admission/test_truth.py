"""validate says of an injected pod what a real API server says: yes or no, and to what."""

import os
import re
import time
from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from sidecarctl.engine.validation.practice.good_practice import HOT_PORT
from tests.cluster.admission.judge import Complaints, Judge
from tests.cluster.admission.ours import ours
from tests.cluster.admission.random_pods import THEMES, Theme
from tests.cluster.control_plane import running_control_plane

CASES = 500
PODS_A_NAMESPACE = 20


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judge]:
    with running_control_plane(tmp_path_factory.mktemp("judge"), disabled=()) as started, started.api() as api:
        yield Judge(api)


@pytest.mark.cluster
@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_validate_says_what_the_api_server_says(theme: Theme, judge: Judge) -> None:
    seed = 1 if os.environ.get("CI") else time.time_ns()
    random = Random(seed)  # noqa: S311 - not for secrets
    verdicts: Counter[str] = Counter()
    differences = []
    while verdicts.total() < CASES:
        labels, beside = theme.setting(random)
        if not (namespace := judge.namespace(labels, beside)):
            continue  # the server does not take the LimitRange or quota
        for _ in range(PODS_A_NAMESPACE):
            sidecarset, pod = theme.case(random)
            pod["metadata"]["namespace"] = namespace
            placed = [{**item, "metadata": {**item["metadata"], "namespace": namespace}} for item in beside]
            of_namespace = {
                "apiVersion": "v1",
                "kind": "Namespace",
                "metadata": {"name": namespace, "labels": labels},
            }
            told = ours([sidecarset, of_namespace, *placed, pod])
            if told.pod is None or any(item.reason == "Refused" for item in told.others):
                continue  # Kruise rejects the SidecarSet, or the pod
            alone, now = judge.complaints(pod), judge.complaints(told.pod)
            if not alone:
                verdicts["refused" if now else "accepted"] += 1
            if any(item.rule == HOT_PORT.id for item in told.others):  # said of the SidecarSet, not of the pod
                if not now:
                    differences.append(
                        ("the server takes a hostPort of a pair", labels, beside, sidecarset["spec"], pod["spec"])
                    )
                continue
            is_of_a_pair = "hotUpgradeEmptyImage" in str(sidecarset)
            if said := difference(theme, alone, now, told.complaints, is_of_a_pair=is_of_a_pair):
                differences.append((said, labels, beside, sidecarset["spec"], pod["spec"]))
    assert verdicts["refused"] > CASES / 10
    assert verdicts["accepted"] > CASES / 10
    shown = "\n\n".join("\n".join(map(str, item)) for item in differences[:5])
    assert not differences, f"seed {seed}: {len(differences)} of {verdicts.total()} differ:\n{shown}"


def difference(
    theme: Theme, alone: Complaints, now: Complaints, told: Complaints, *, is_of_a_pair: bool = False
) -> str:
    """How the two sides differ; empty if they do not.

    What holds of both containers of a HotUpgrade pair is said once by us.
    What the app alone already has is nobody's business here: the server stops at the first kind of complaint.
    """
    if alone and not theme.is_complete:
        return ""  # the server says no more than that
    if alone and (_kind(alone) != _kind(now) or _kind(alone) == "pod-invalid"):
        return ""  # of an app that is invalid itself, the server names fields by other indices than with sidecars
    if theme.name.startswith("pod security"):
        return _of_security(alone, now, told)
    server, ours_too = (set(side) - set(alone) for side in (now, told))  # the server says the same thing once
    if _kind(now) == "pod-invalid":
        ours_too = {text for text in ours_too if text.startswith("pod-invalid")}
        of_pair = set(map(_of_any_container, ours_too)) if is_of_a_pair else set()
        server -= {text for text in server - ours_too if _of_any_container(text) in of_pair}
    is_same = server == ours_too if theme.is_complete else server <= ours_too and bool(server) == bool(ours_too)
    return "" if is_same else f"the server: {dict(now)}\nalone: {dict(alone)}\nours: {dict(told)}"


def _of_any_container(text: str) -> str:
    return re.sub(r"\[\d+\]", "[*]", text, count=1)


def _kind(complaints: Complaints) -> str:
    return next(iter(complaints), "").partition(" ")[0]


def _of_security(alone: Complaints, now: Complaints, told: Complaints) -> str:
    """The server names only some containers of a reason; and an app that violates the level is no error of ours."""
    expected: Complaints = Counter() if alone else now
    reasons, ours_too = ({text for text in side if " of " not in text} for side in (expected, told))
    is_same = reasons == ours_too and set(expected) <= set(told)
    return "" if is_same else f"the server: {dict(now)}\nalone: {dict(alone)}\nours: {dict(told)}"
