"""What a run found, in the forms for machines: valid for their readers, whatever the findings hold."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape, quoteattr

import pytest
import xmlschema
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft4Validator

from sidecarctl.engine.facts.findings import Finding, ObjectReference, Place, Severity, error, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.report import ObjectChange, ObjectResult, Outcome, Report, RunFacts
from sidecarctl.engine.validation.catalog import rules
from sidecarctl.render.output import RunEnd
from sidecarctl.render.run import junit
from sidecarctl.render.run.code_hosts import rule_text
from sidecarctl.render.run.formats import REPORT_FORMATS, run_report
from tests.schemas import assert_valid

PUBLISHED = Path(__file__).parent / "published"
FOLDER = "/srv/shop"
END = RunEnd("inject", 1, folder=FOLDER)
WEB = ObjectReference("apps/v1", "Deployment", "shop", "web")

texts = st.text(max_size=30) | st.sampled_from(
    ["a\nb", "::error::x", "100%, or: all", "]]>", "<b>&\"'", "\x1b[31m", "\x00", "￾"]
)
files = st.sampled_from(
    [
        "web.yaml",
        "./a b/ü.yaml",
        f"{FOLDER}/deep/web.yaml",
        "/elsewhere/x.yaml",
        "c:d,e.yaml",
        "stdin",
        "\x1b[31m\n.yaml",
    ]
)
numbers = st.none() | st.integers(1, 500)
places = st.builds(Place, files, numbers, numbers)
paths = st.lists(st.text(min_size=1, max_size=6) | st.integers(0, 3), max_size=3).map(tuple)
references = st.builds(ObjectReference, st.just("v1"), st.sampled_from(["Pod", "Service"]), texts, texts)
severities = st.sampled_from([*Severity])
reasons = st.sampled_from([Reason.SYNTAX, Reason.WRONG_TYPE, Reason.USAGE, Reason.POD_NOT_SELECTED])


@st.composite
def findings(draw: st.DrawFn) -> Finding:
    path = draw(paths)
    return Finding(
        draw(severities),
        draw(reasons),
        draw(texts.filter(bool)),  # a message is never empty
        path,
        draw(st.none() | references),
        draw(st.none() | places),
        draw(texts),
        draw(st.sampled_from(["", "no-resources"])),
    )


@st.composite
def results(draw: st.DrawFn) -> ObjectResult:
    found = tuple(draw(st.lists(findings(), max_size=2)))
    change = ObjectChange(draw(st.sampled_from([*Outcome])), None, draw(texts), draw(st.none() | reasons), found)
    return ObjectResult(draw(references), change, 0, draw(st.none() | places))


@st.composite
def reports(draw: st.DrawFn) -> Report[Any]:
    counts = dict.fromkeys(Outcome, draw(st.integers(0, 3)))
    facts = draw(st.sampled_from([None, RunFacts("injected", counts), RunFacts("to inject", counts, writes=False)]))
    found, objects = draw(st.lists(findings(), max_size=3)), draw(st.lists(results(), max_size=3))
    return Report("run", facts, found, objects, failure=draw(st.sampled_from([0, 2, 3])))


@cache
def sarif_schema() -> Draft4Validator:
    return Draft4Validator(json.loads((PUBLISHED / "sarif-2.1.0-rtm.5.json").read_text()))


@cache
def junit_schemas() -> list[xmlschema.XMLSchema]:
    return [xmlschema.XMLSchema(str(PUBLISHED / name)) for name in ("junit-10.xsd", "junit.xsd")]


def written(report: Report[Any], form: str, end: RunEnd = END) -> str:
    return "".join(run_report(report, form, end))


def sarif_run(report: Report[Any], end: RunEnd = END) -> Value:
    log = json.loads(written(report, "sarif", end))
    sarif_schema().validate(log)
    [run] = log["runs"]
    return run


def of(found: Sequence[Finding], **more: Any) -> Report[Any]:
    return Report("run", None, found, **more)


def at(file: str, line: int | None = None, column: int | None = None) -> Finding:
    return warning(Reason.UNKNOWN_FIELD, "no such field", ("spec", "x"))._replace(
        subject=WEB, place=Place(file, line, column)
    )


@given(reports())
def test_every_report_is_valid_for_its_readers(report: Report[Any]) -> None:
    assert_valid(json.loads(written(report, "json")), "run-report.json")
    sarif_run(report)
    for schema in junit_schemas():
        schema.validate(written(report, "junit"))
    entries = json.loads(written(report, "gitlab"))
    assert len({entry["fingerprint"] for entry in entries}) == len(entries)
    assert all(not entry["location"]["path"].startswith("./") for entry in entries)
    for form in REPORT_FORMATS:
        text = written(report, form)
        assert text.endswith("\n") or not text
        if form not in {"json", "gitlab"}:
            assert not re.search("[\x00-\x09\x0b-\x1f\x7f]", text), form


@given(reports())
def test_each_form_tells_every_finding_the_most_severe_first(report: Report[Any]) -> None:
    expected = Counter(finding.severity for finding in report.findings)
    for result in report.objects:
        expected.update(finding.severity for finding in result.change.findings)
        if isinstance(report.facts, RunFacts) and not report.facts.writes:
            expected[Severity.ERROR] += result.change.outcome in (Outcome.CHANGED, Outcome.DRIFTED)
    order = [str(severity) for severity in Severity for _ in range(expected[severity])]
    run = sarif_run(report)
    told = [*run["results"], *run["invocations"][0]["toolExecutionNotifications"]]
    assert sorted(item["level"] for item in told) == sorted(order)
    levels = [item["level"] for item in run["results"]]
    assert levels == sorted(levels, key=[str(item) for item in Severity].index)
    commands = re.findall(r"^::(\w+) ", written(report, "github"), re.MULTILINE)
    assert [{"notice": "note"}.get(command, command) for command in commands] == order
    severities = [entry["severity"] for entry in json.loads(written(report, "gitlab"))]
    assert [{"major": "error", "minor": "warning", "info": "note"}[item] for item in severities] == order
    assert json.loads(written(report, "json"))["counts"]["errors"] == expected[Severity.ERROR]


@given(report=reports(), strict=st.booleans())
def test_junit_counts_what_it_lists(report: Report[Any], *, strict: bool) -> None:
    suites = ET.fromstring(written(report, "junit", END._replace(strict=strict)).encode())  # noqa: S314 - our own
    [suite] = suites
    for attribute, path in (("tests", ""), ("failures", "/failure"), ("errors", "/error"), ("skipped", "/skipped")):
        assert int(suite.get(attribute, "")) == len(suite.findall(f"testcase{path}")), attribute


def test_a_result_has_its_rule_its_place_and_its_object() -> None:
    run = sarif_run(of([at("./apps/web.yaml", 4, 7)]))
    [rule] = run["tool"]["driver"]["rules"]
    assert rule["id"] == "UnknownField"
    assert rule["shortDescription"]["text"] == Reason.UNKNOWN_FIELD.sentence.removesuffix(".")
    assert rule["helpUri"].endswith("/docs/reasons.md")
    assert rule["help"]["text"] == "Correct the spelling of the field, or remove it."
    [result] = run["results"]
    assert (result["ruleId"], result["ruleIndex"], result["level"]) == ("UnknownField", 0, "warning")
    assert result["message"]["text"] == "spec.x: no such field"
    [location] = result["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "apps/web.yaml"},
        "region": {"startLine": 4, "startColumn": 7},
    }
    assert location["logicalLocations"][0]["fullyQualifiedName"] == "Deployment shop/web"


def test_a_rule_of_validate_is_the_rule_in_every_form() -> None:
    report = of([at("web.yaml", 4)._replace(rule="no-resources", severity=Severity.ERROR)])
    run = sarif_run(report)
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["no-resources"]
    [result] = run["results"]
    assert (result["ruleId"], result["ruleIndex"]) == ("no-resources", 0)
    rule, text = rules()["no-resources"], run["tool"]["driver"]["rules"][0]
    assert (text["name"], text["shortDescription"]["text"]) == ("No resources", "No resources")
    assert text["fullDescription"]["text"].startswith(rule.sentence)
    assert text["helpUri"].endswith("/docs/rules.md#no-resources")
    assert text["help"]["text"] == f"{rule.why} To fix it: {rule.mend}."
    assert json.loads(written(report, "gitlab"))[0]["check_name"] == "no-resources"
    assert ",title=no-resources::" in written(report, "github")
    assert '<failure type="no-resources"' in written(report, "junit")
    assert "(<code>no-resources</code>)" in written(report, "markdown")
    assert written(report, "text").splitlines()[0].endswith("[no-resources]")


def test_every_rule_and_every_reason_has_its_texts() -> None:
    for identifier in (*rules(), *map(str, Reason)):
        text = rule_text(identifier)
        assert text.sentence.endswith("."), identifier
        assert text.remedy.endswith("."), identifier
    assert not set(rules()) & set(map(str, Reason))


def test_uris_are_relative_and_escaped() -> None:
    found = [at(f"{FOLDER}/a b/ü.yaml"), at("c:d.yaml"), at("/elsewhere/x.yaml"), at("../x.yaml"), at("a/./b.yaml")]
    results_of = sarif_run(of(found))["results"]
    uris = [item["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for item in results_of]
    assert uris == ["a%20b/%C3%BC.yaml", "c%3Ad.yaml", "file:///elsewhere/x.yaml", "file:///srv/x.yaml", "a/b.yaml"]
    assert unquote(uris[0]) == "a b/ü.yaml"


def fingerprints(*found: Finding) -> list[str]:
    prints = [item["partialFingerprints"] for item in sarif_run(of(found))["results"]]
    assert all(item["primaryLocationLineHash"] == item["sidecarctl/v1"] for item in prints)
    return [item["sidecarctl/v1"] for item in prints]


def test_a_fingerprint_stays_where_lines_above_it_change() -> None:
    assert (
        fingerprints(at("web.yaml", 4)) == fingerprints(at("web.yaml", 9)) == fingerprints(at(f"{FOLDER}/web.yaml"))
    )
    assert fingerprints(at("web.yaml", 4)) != fingerprints(at("other.yaml", 4))
    assert len(set(fingerprints(at("web.yaml", 4), at("web.yaml", 4)))) == 2


def test_what_belongs_to_no_file_is_a_notification() -> None:
    run = sarif_run(of([error(Reason.NO_SIDECARSET, "there is none", hint="name one")], failure=2))
    assert run["results"] == []
    [told] = run["invocations"][0]["toolExecutionNotifications"]
    assert (told["level"], told["message"]["text"]) == ("error", "there is none (name one)")
    assert run["tool"]["driver"]["rules"][told["associatedRule"]["index"]]["id"] == "NoSidecarSet"


@pytest.mark.slow
def test_sarif_stays_within_the_limit_of_github_and_says_what_it_leaves_out() -> None:
    found = [at("web.yaml", line) for line in range(1, 25_003)]
    run = json.loads(written(of([*found, error(Reason.SYNTAX, "bad")._replace(place=Place("a.yaml"))]), "sarif"))[
        "runs"
    ][0]
    assert len(run["results"]) == 25_000
    assert run["results"][0]["level"] == "error"
    [told] = run["invocations"][0]["toolExecutionNotifications"]
    assert told["message"]["text"].startswith("3 less severe findings are left out")


def test_annotations_are_escaped() -> None:
    found = error(Reason.SYNTAX, "100% of a: b, c")._replace(place=Place("a:b,c%.yaml", 3, 5))
    assert written(of([found]), "github").splitlines()[0] == (
        "::error file=a%3Ab%2Cc%25.yaml,line=3,col=5,title=Syntax::100%25 of a: b, c"
    )


def test_annotations_note_the_limit_of_a_step() -> None:
    told = "GitHub shows the first 10 annotations of each severity"
    assert told not in written(of([at("a", line) for line in range(1, 11)]), "github")
    assert told in written(of([at("a", line) for line in range(1, 12)]), "github")


def test_gitlab_entries() -> None:
    [first, second] = json.loads(written(of([error(Reason.USAGE, "no"), at(f"{FOLDER}/apps/web.yaml", 4)]), "gitlab"))
    assert (first["severity"], first["location"]) == ("major", {"path": ".", "lines": {"begin": 1}})
    assert (second["severity"], second["check_name"]) == ("minor", "UnknownField")
    assert second["location"] == {"path": "apps/web.yaml", "lines": {"begin": 4}}
    assert second["description"] == "Deployment shop/web: spec.x: no such field"


def result(outcome: Outcome, *found: Finding, summary: str = "", reason: Reason | None = None) -> ObjectResult:
    return ObjectResult(WEB, ObjectChange(outcome, None, summary, reason, found), 0, Place("web.yaml", 2, 1))


def test_junit_has_a_case_for_each_object() -> None:
    objects = [
        result(Outcome.CHANGED, at("web.yaml", 4), summary="logs"),
        result(Outcome.SKIPPED, reason=Reason.POD_NOT_SELECTED, summary="no"),
        result(Outcome.FAILED, error(Reason.WRONG_TYPE, "not a string")),
    ]
    facts = RunFacts("injected", {Outcome.CHANGED: 1, Outcome.SKIPPED: 1, Outcome.FAILED: 1}, written=False)
    text = written(Report("run", facts, objects=objects, failure=2), "junit", END._replace(exit_code=2))
    run, changed, skipped, failed = ET.fromstring(text.encode()).iter("testcase")  # noqa: S314 - our own
    assert run[0].get("message", "").startswith("exit code 2: 1 injected, 1 skipped, 1 failed")
    assert (changed.get("name"), changed.get("classname")) == ("Deployment shop/web", "web.yaml")
    assert "web.yaml:4" in changed.findtext("system-out", "")
    assert skipped[0].attrib == {"message": "PodNotSelected: no"}
    assert failed[0].attrib == {"type": "WrongType", "message": "not a string"}


def test_under_strict_a_warning_fails_its_case() -> None:
    report = of([at("web.yaml", 4)])
    assert '<failure type="UnknownField"' not in written(report, "junit")
    assert '<failure type="UnknownField"' in written(report, "junit", END._replace(strict=True))


def test_markdown_tells_findings_and_objects_and_shows_no_markup_of_manifests() -> None:
    objects = [result(Outcome.CHANGED, summary="<b>logs</b>"), result(Outcome.SKIPPED, summary="no | yes")]
    facts = RunFacts("injected", {Outcome.CHANGED: 1, Outcome.SKIPPED: 1})
    text = written(Report("run", facts, [at("web.yaml", 4)], objects), "markdown", END._replace(exit_code=0))
    assert text.startswith("### ✅ sidecarctl inject\n\n**1 injected, 1 skipped; 1 warning** (exit code 0)\n")
    assert "| injected | Deployment shop/web | <code>web.yaml:2:1</code> | &#60;b&#62;logs" in text
    assert "no &#124; yes" in text
    assert "<details>" in text


def test_json_tells_of_objects_with_place_and_outcome() -> None:
    facts = RunFacts("injected", {Outcome.CHANGED: 1, Outcome.OTHER: 1})
    objects = [result(Outcome.CHANGED, summary="logs"), ObjectResult(WEB, ObjectChange(Outcome.OTHER))]
    document: Object = json.loads(written(Report("run", facts, objects=objects, wrote=["web.yaml"]), "json"))
    reference = {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "shop", "name": "web"}
    assert document["objects"] == [
        {"object": reference, "file": "web.yaml", "line": 2, "column": 1, "outcome": "changed", "summary": "logs"}
    ]
    assert document["counts"]["objects"] == {"changed": 1, "unchanged": 0, "skipped": 0, "failed": 0, "other": 1}
    assert document["wrote"] == ["web.yaml"]


@given(st.text(st.sampled_from("ab<>&\"'\n\r\t;")))
def test_junit_quotes_as_the_library_does(text: str) -> None:
    assert (junit._quoted(text), junit._text(text)) == (quoteattr(text), escape(text))
