"""Where pod templates sit."""

import pytest

from sidecarctl.engine.api.taught_kinds import parse_workloads
from sidecarctl.engine.api.workload_kinds import WORKLOADS
from sidecarctl.engine.api.workload_rows import parse_pattern
from sidecarctl.engine.api.workloads import pod_template_paths, workload_of
from sidecarctl.engine.facts.errors import UsageError
from sidecarctl.engine.facts.values import Object, Value, path_text

KRUISE = "apps.kruise.io/v1alpha1"


def manifest(api_version: Value, kind: Value, *templates: tuple[str, ...]) -> Object:
    made: Object = {"apiVersion": api_version, "kind": kind}
    for path in templates:
        branch = made
        for step in path:
            branch = branch.setdefault(step, {})
    return made


@pytest.mark.parametrize(
    ("api_version", "kind", "path"),
    [
        ("v1", "Pod", ""),
        ("v1", "PodTemplate", "template"),
        ("v1", "ReplicationController", "spec.template"),
        ("apps/v1", "Deployment", "spec.template"),
        ("apps/v1beta2", "ReplicaSet", "spec.template"),
        ("apps/v1", "StatefulSet", "spec.template"),
        ("apps/v1", "DaemonSet", "spec.template"),
        ("batch/v1", "Job", "spec.template"),
        ("batch/v1", "CronJob", "spec.jobTemplate.spec.template"),
        (KRUISE, "CloneSet", "spec.template"),
        ("apps.kruise.io/v1beta1", "StatefulSet", "spec.template"),
        (KRUISE, "DaemonSet", "spec.template"),
        (KRUISE, "BroadcastJob", "spec.template"),
        (KRUISE, "AdvancedCronJob", "spec.template.jobTemplate.spec.template"),
        (KRUISE, "AdvancedCronJob", "spec.template.broadcastJobTemplate.spec.template"),
        (KRUISE, "UnitedDeployment", "spec.template.cloneSetTemplate.spec.template"),
        (KRUISE, "UnitedDeployment", "spec.template.statefulSetTemplate.spec.template"),
        (KRUISE, "UnitedDeployment", "spec.template.advancedStatefulSetTemplate.spec.template"),
        (KRUISE, "UnitedDeployment", "spec.template.deploymentTemplate.spec.template"),
        ("argoproj.io/v1alpha1", "Rollout", "spec.template"),
    ],
)  # a table, a case a line  # fmt: skip
def test_known_kinds(api_version: str, kind: str, path: str) -> None:
    steps = tuple(path.split(".")) if path else ()
    assert [path_text(found) for found in pod_template_paths(manifest(api_version, kind, steps))] == [path]


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("v1", "Deployment"), ("apps/v1", "Job"), (KRUISE, "ImagePullJob"), ("v1", "Service"),
        ("example.com/v1", "Pod"), (None, "Pod"), ("v1", None), (1, ["Pod"]),
    ],
)  # a table, a case a line  # fmt: skip
def test_other_kinds_hold_none(api_version: Value, kind: Value) -> None:
    assert pod_template_paths(manifest(api_version, kind, ("spec", "template"))) == []


def test_a_template_that_is_absent_or_no_object_is_none() -> None:
    assert pod_template_paths({"apiVersion": "apps/v1", "kind": "Deployment"}) == []
    assert pod_template_paths({"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"template": []}}) == []


def test_rows_given_by_the_user_come_first() -> None:
    workflow = {"apiVersion": "x.io/v1", "kind": "Workflow", "spec": {"steps": [{"pod": {}}]}}
    deployment = manifest("apps/v1", "Deployment", ("spec", "template"), ("spec", "other"))
    given = parse_workloads(["Workflow=spec.steps[0].pod", "Deployment.apps=.spec.other"])
    assert pod_template_paths(workflow, given) == [("spec", "steps", 0, "pod")]
    assert pod_template_paths(deployment, given) == [("spec", "other")]
    assert workload_of(manifest("other/v1", "Deployment"), given) is None


@pytest.mark.parametrize(
    "text", ["", "Kind", "Kind=", "=spec", "Kind=spec..template", "Kind=spec.", "Kind=a b", "K.=x", "K=a[x]"]
)
def test_what_is_no_row_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match=r"is not KIND\.GROUP=PATH"):
        parse_workloads([text])


def test_every_path_in_the_table_can_be_read() -> None:
    for workload in WORKLOADS:
        assert workload.group is not None
        for row in workload.templates:
            numbers = [number.path for factor in row.counts for number in factor.fields]
            floors = [factor.at_least for factor in row.counts]
            for path in (
                row.path,
                *numbers,
                *floors,
                *row.none_if,
                *(field.path for field in row.more.fields),
                *row.more.maps,
            ):
                assert parse_pattern(path.partition("=")[0]) is not None
