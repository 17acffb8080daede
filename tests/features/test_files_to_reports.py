"""Operations from files, and from what a cluster answered, to reports: no command line, no kubectl."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sidecarctl.engine.documents.writing import block_text
from sidecarctl.engine.facts.errors import ImpossibleError, InputError, UsageError
from sidecarctl.engine.facts.exit_codes import COMPLETED, FINDINGS
from sidecarctl.engine.facts.findings import Severity, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.files.inputs import Input
from sidecarctl.engine.injection.decisions import InjectionOptions
from sidecarctl.engine.inputs.opening import ClusterIdentity, Live, Named, Sources, opened
from sidecarctl.engine.inputs.reading import Reading
from sidecarctl.engine.plan_file.rendering import RenderForm
from sidecarctl.engine.report import Report, exit_code
from sidecarctl.engine.rollout.plan_options import PlanOptions, PlanRequest
from sidecarctl.features.explain.explain import Question, explain
from sidecarctl.features.plan.plan import PlanFacts, planned
from sidecarctl.features.plan.rendering import RenderRequest, render
from sidecarctl.features.plan.rollback import pushed_plan, rollback
from sidecarctl.features.plan.rows import plan_data
from sidecarctl.features.revisions.revisions import revisions
from sidecarctl.features.status.status import StatusRequest, status
from sidecarctl.features.validate.validate import ValidateOptions, validate, without_known
from sidecarctl.render.documents import json_text
from tests.engine.rollout.manifests import pod, sidecarset

HOW = Reading()
NOTHING = Sources[Input]()


def file_of(folder: Path, name: str, *manifests: Object) -> str:
    (folder / name).write_text("".join(f"---\n{block_text(manifest)}" for manifest in manifests))
    return str(folder / name)


@contextmanager
def files(*paths: str, live: Live | None = None) -> Iterator[Sources[Input]]:
    with opened(Named(paths)) as (sources,):
        yield sources._replace(live=live or Live())


def answers(folder: Path, *manifests: Object) -> Live:
    """What a cluster gave, with a warning about what it did not."""
    file = Path(file_of(folder, "answers.yaml", *manifests))
    told = warning(Reason.PARTIAL_VIEW, "namespace labels are unknown")
    return Live([Input("kubectl get", file, Path(file.name))], [told], {"pods": "7"}, ClusterIdentity("one", "1.9"))


@pytest.fixture
def dump(tmp_path: Path) -> str:
    return file_of(tmp_path, "dump.yaml", sidecarset().manifest, pod("p0"), pod("p1"))


def test_status_counts_pods_of_files_and_of_a_cluster_together(tmp_path: Path, dump: str) -> None:
    with files(dump, live=answers(tmp_path, pod("p2"))) as sources:
        report = status(sources, HOW, (), frozenset())
    assert [item.counts.matched for item in report.facts.sets] == [3]
    assert report.findings[0].reason is Reason.PARTIAL_VIEW
    assert report.read_at == {"pods": "7"}


def test_status_objects_to_pods_in_the_states_that_are_named(dump: str) -> None:
    with files(dump) as sources:
        states = {item.state for of_set in status(sources, HOW, (), frozenset()).facts.sets for item in of_set.pods}
        assert exit_code(status(sources, HOW, (), frozenset())) == COMPLETED
        assert exit_code(status(sources, HOW, (), frozenset(), StatusRequest(states))) == FINDINGS


@pytest.mark.parametrize("operation", ["status", "planned", "explain", "revisions"])
def test_no_sidecarset_is_an_error_unless_that_is_allowed(tmp_path: Path, operation: str) -> None:
    def run(sources: Sources[Input], how: Reading) -> object:
        match operation:
            case "status":
                return status(sources, how, (), frozenset())
            case "planned":
                return planned(sources, NOTHING, how, PlanRequest(PlanOptions()))
            case "explain":
                return explain(sources, how, Question(InjectionOptions()))
            case _:
                return revisions(sources, how, ())

    with files(file_of(tmp_path, "pods.yaml", pod("p0"))) as sources:
        with pytest.raises(InputError, match="no SidecarSet found in"):
            run(sources, HOW)
        assert run(sources, HOW._replace(allow_empty=True))


def test_a_plan_is_of_the_cluster_that_answered(tmp_path: Path, dump: str) -> None:
    with files(dump, live=answers(tmp_path, pod("p2"))) as sources:
        report = planned(sources, NOTHING, HOW, PlanRequest(PlanOptions()))
    assert isinstance(report.facts, PlanFacts)
    assert report.facts.cluster == ClusterIdentity("one", "1.9")
    assert len(report.facts.plan.pods) == 3


def test_a_sweep_is_a_plan_for_each_value(dump: str) -> None:
    request = PlanRequest(PlanOptions(), sweep=("partition", [0, 1]))
    with files(dump) as sources:
        report = planned(sources, NOTHING, HOW, request)
    assert report.kind == "sweep"
    assert [row.value for row in report.facts.rows] == [0, 1]  # type: ignore[union-attr] # it is a sweep


def test_pods_of_two_places_are_refused(tmp_path: Path, dump: str) -> None:
    old = file_of(tmp_path, "old.yaml", sidecarset().manifest)
    with files(dump) as sources, files(old) as before, pytest.raises(UsageError, match="--from"):
        planned(sources, before, HOW, PlanRequest(PlanOptions()))


@pytest.mark.parametrize("dump_size", [1, 1 << 20])
def test_explain_answers_alike_for_manifests_and_dumps(
    dump: str, dump_size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sidecarctl.features.explain.explain._LARGE", dump_size)
    with files(dump) as sources:
        report = explain(sources, HOW, Question(InjectionOptions(), ["p1"]))
    assert [item.pod.reference.name for item in report.facts.pods] == ["p1"]
    assert all(of_set.rollout for item in report.facts.pods for of_set in item.sets)


def test_explain_invents_a_pod_of_labels(dump: str) -> None:
    with files(dump) as sources:
        report = explain(sources, HOW, Question(InjectionOptions(), labels={"app": "none"}))
    assert [item.pod.reference.name for item in report.facts.pods] == ["invented"]


def test_revisions_say_first_what_the_cluster_did_not_show(tmp_path: Path, dump: str) -> None:
    with files(dump, live=answers(tmp_path, pod("p2"))) as sources:
        remarks, report = revisions(sources, HOW, ())
    assert [remark.reason for remark in remarks] == [Reason.PARTIAL_VIEW]
    assert [len(item.rows) for item in report.facts.sets] == [1]


@pytest.fixture
def plan(tmp_path: Path, dump: str) -> str:
    with files(dump, live=answers(tmp_path)) as sources:
        report: Report[Any] = planned(sources, NOTHING, HOW, PlanRequest(PlanOptions()))
    file = tmp_path / "plan.json"
    file.write_text(json_text(plan_data(report)))
    return str(file)


def test_each_patch_of_a_plan_is_a_text_of_its_own(plan: str) -> None:
    with files(plan) as sources:
        single = render(sources, HOW, RenderRequest(RenderForm.JSONPATCH), json_text)
        each = render(sources, HOW, RenderRequest(RenderForm.JSONPATCH, as_files=True), json_text)
    assert single.number == each.number == 2
    assert [name for name, _ in single.texts] == [""]
    assert [name for name, _ in each.texts] == [
        "logs/wave-0001/000001-shop-p0.jsonpatch.json",
        "logs/wave-0002/000002-shop-p1.jsonpatch.json",
    ]


def test_only_a_single_plan_is_rendered(plan: str, dump: str) -> None:
    for paths in ((dump,), (plan, plan)):
        with files(*paths) as sources, pytest.raises(InputError, match="PLAN must be one file with one RolloutPlan"):
            render(sources, HOW, RenderRequest(RenderForm.JSONPATCH), json_text)


def test_a_rollback_undoes_what_was_sent(tmp_path: Path, plan: str) -> None:
    def first(digest: str) -> Collection[int]:
        assert digest
        return [0]

    with files(plan) as of_plan, files(live=answers(tmp_path, sidecarset().manifest, pod("p0"), pod("p1"))) as pods:
        every, some = pushed_plan(of_plan, HOW), pushed_plan(of_plan, HOW, sent=first)
        report = rollback(every, pods, PlanOptions())
    assert [[len(item.pods) for item in pushed.earlier] for pushed in (every, some)] == [[2], [1]]
    assert report.read_at == {"pods": "7"}
    assert report.facts.plan.sets[0].target.sidecar_set.spec["containers"][0]["image"] == "agent:1"


def test_a_rollback_is_refused_in_another_cluster(tmp_path: Path, plan: str) -> None:
    other = answers(tmp_path)._replace(identity=ClusterIdentity("two", "1.9"))
    with files(plan) as of_plan, files(live=other) as pods, pytest.raises(ImpossibleError, match="another cluster"):
        rollback(pushed_plan(of_plan, HOW), pods, PlanOptions())


def test_validate_needs_something_to_check(tmp_path: Path) -> None:
    with files(file_of(tmp_path, "pods.yaml", pod("p0"))) as sources:
        with pytest.raises(InputError, match="no SidecarSet found in"):
            validate(sources, NOTHING, HOW, ValidateOptions())
        assert validate(sources, NOTHING, HOW._replace(allow_empty=True), ValidateOptions()).facts.sidecarsets == 0


def test_a_baseline_holds_all_that_the_running_kruise_accepts(tmp_path: Path) -> None:
    manifest = sidecarset().manifest
    refused = manifest | {"metadata": {"name": "Not A Name"}}
    file = file_of(tmp_path, "sets.yaml", manifest, refused)
    with files(file) as sources:
        report = validate(sources, NOTHING, HOW, ValidateOptions(), shows_lines=True)
    assert report.facts.excerpts[file]
    left, known = without_known(report)
    assert all(finding.severity is Severity.ERROR for finding in left.facts.findings)
    assert known
    assert {*left.facts.findings, *known} == {*report.facts.findings}
    assert left.facts.suppressed == report.facts.suppressed + len(known)
