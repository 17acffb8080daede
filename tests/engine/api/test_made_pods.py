"""What a controller adds to the pod that it creates of a template."""

import pytest

from sidecarctl.engine.api.made_pods import as_created, as_template
from sidecarctl.engine.api.workloads import pod_templates
from sidecarctl.engine.facts.values import Object, Path

CLAIM = {"name": "data", "persistentVolumeClaim": {"claimName": "data-db-0"}}
INDEX_FIELD = "metadata.labels['batch.kubernetes.io/job-completion-index']"
INDEX = {"name": "JOB_COMPLETION_INDEX", "valueFrom": {"fieldRef": {"fieldPath": INDEX_FIELD}}}
POD: Object = {"spec": {"containers": [{"name": "db"}], "volumes": [{"name": "data", "emptyDir": {}}, {"name": "x"}]}}
CLAIMS: Object = {"serviceName": "db", "volumeClaimTemplates": [{"metadata": {"name": "data"}}]}


def workload(kind: str, path: Path, spec: Object) -> Object:
    holder: Object = {**spec, "template": POD}
    for step in reversed(path[:-1]):
        holder = {str(step): holder}
    return {"kind": kind, "metadata": {"name": "db"}, **holder}


@pytest.mark.parametrize(
    ("kind", "path", "names"),
    [
        ("StatefulSet", ("spec", "template"), True),
        ("CloneSet", ("spec", "template"), False),
        ("UnitedDeployment", ("spec", "template", "statefulSetTemplate", "spec", "template"), True),
        ("UnitedDeployment", ("spec", "template", "advancedStatefulSetTemplate", "spec", "template"), True),
        ("UnitedDeployment", ("spec", "template", "cloneSetTemplate", "spec", "template"), False),
    ],
)  # a table, a case a line  # fmt: skip
def test_claims_come_first_and_replace_volumes(kind: str, path: Path, names: bool) -> None:  # noqa: FBT001 - a column of the table
    made = as_created(workload(kind, path, CLAIMS), path, POD, "db-0")["spec"]
    assert made["volumes"] == [CLAIM, {"name": "x"}]
    assert made.get("hostname") == ("db-0" if names else None)
    assert made.get("subdomain") == ("db" if names else None)


def test_an_indexed_job_has_its_index() -> None:
    path = ("spec", "jobTemplate", "spec", "template")
    made = as_created(workload("CronJob", path, {"completionMode": "Indexed"}), path, POD, "db-0", 3)["spec"]
    assert made["containers"] == [{"name": "db", "env": [INDEX]}]
    assert made["hostname"] == "db-00000-3"
    made = as_created(workload("Job", path[2:], {"completionMode": "Indexed"}), path[2:], POD, "db-3-00003", 3)[
        "spec"
    ]
    assert made["hostname"] == "db-3"


@pytest.mark.parametrize(("mode", "name"), [("Indexed", "db-1-00001"), ("NonIndexed", "db-00001")])
def test_the_pods_of_an_indexed_job_are_named_and_labeled_by_their_index(mode: str, name: str) -> None:
    job = {"apiVersion": "batch/v1", **workload("Job", ("spec", "template"), {"completionMode": mode})}
    (made,) = pod_templates(job)
    index = {"batch.kubernetes.io/job-completion-index": "1"} if mode == "Indexed" else {}
    assert made.pod_name("db", 1) == name
    assert made.prefix("db", 1) == name.removesuffix("00001")
    assert made.owner_name("db", 1) == "db"
    assert made.annotations(1) == index
    own = {"job-name": "db", "batch.kubernetes.io/job-name": "db"}
    assert made.labels({}, "db", 1) == {**own, **index}
    assert made.differ is bool(index)


@pytest.mark.parametrize("spec", [CLAIMS, {"completionMode": "Indexed"}, {}])
def test_a_template_does_not_keep_what_is_added(spec: Object) -> None:
    path = ("spec", "template")
    manifest = workload("StatefulSet", path, spec)
    made = as_created(manifest, path, POD, "db-0")
    assert as_created(manifest, path, made, "db-0") == made
    sidecar: Object = {"name": "side", "env": [INDEX]}
    containers, volumes = (
        [*made["spec"][key], own] for key, own in (("containers", sidecar), ("volumes", {"name": "y"}))
    )
    injected = {"spec": {**made["spec"], "containers": containers, "volumes": volumes}}
    kept = {
        "spec": {
            "containers": [*POD["spec"]["containers"], sidecar],
            "volumes": [*POD["spec"]["volumes"], {"name": "y"}],
        }
    }
    assert as_template(injected, made, POD) == kept
