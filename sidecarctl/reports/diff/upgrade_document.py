"""What an upgrade of Kruise does, for programs: kind KruiseUpgrade (schemas/kruise-upgrade.json)."""

from sidecarctl.facts.document_head import document_head
from sidecarctl.facts.finding_json import findings_json, reference_json
from sidecarctl.facts.values import Object
from sidecarctl.operations.comparing.recreated_pods import RecreatedPods
from sidecarctl.operations.kruise_upgrade import SetUpgrade, UpgradeFacts
from sidecarctl.operations.report import Report
from sidecarctl.reports.diff.upgrade_sentences import explanation
from sidecarctl.reports.layout.documents import json_text, yaml_text
from sidecarctl.reports.page import Page
from sidecarctl.sidecarset.revisions.controller_revisions import revision_name
from sidecarctl.sidecarset.sets import SidecarSet


def upgrade_json(report: Report[UpgradeFacts], page: Page) -> str:
    """The upgrade as JSON."""
    del page
    return json_text(_document(report))


def upgrade_yaml(report: Report[UpgradeFacts], page: Page) -> str:
    """The upgrade as YAML."""
    del page
    return yaml_text(_document(report))


def _document(report: Report[UpgradeFacts]) -> Object:
    facts = report.facts
    return {
        **document_head("KruiseUpgrade", facts.gates, facts.after.behaviour),
        "behaviourBefore": facts.before.behaviour,
        "sidecarSets": [_set(one) for one in facts.sets],
        "recreatedPods": [_recreated(one) for one in facts.recreated],
        "findings": findings_json(report.findings),
    }


def _set(one: SetUpgrade) -> Object:
    members: Object = {
        "name": one.name,
        "verdict": str(one.verdict),
        "explanation": explanation(one.verdict),
        "before": _version(one.before),
        "after": _version(one.after),
        "effects": [{"topic": str(effect.topic), "message": effect.message} for effect in one.effects],
    }
    if one.running:
        pods = one.running
        members["runningPods"] = {
            "matched": pods.matched,
            "updated": pods.updated,
            "inPlace": pods.in_place,
            "held": pods.held,
            "recreate": pods.recreate,
            "leftOut": pods.left_out,
        }
    return members


def _version(sidecarset: SidecarSet) -> Object:
    return {
        "hash": sidecarset.hash,
        "hashWithoutImage": sidecarset.hash_without_image,
        "revision": revision_name(sidecarset),
    }


def _recreated(one: RecreatedPods) -> Object:
    return {
        "object": reference_json(one.reference),
        "pods": one.number,
        "before": one.before,
        "after": one.after,
        "fields": [
            {"path": field.text, "before": field.before, "after": field.after, "order": field.is_order}
            for field in one.fields
        ],
    }
