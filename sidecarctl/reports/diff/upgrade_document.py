"""The effects of a Kruise upgrade as a document: kind KruiseUpgrade (schemas/kruise-upgrade.json)."""

from sidecarctl.facts.document_head import document_head
from sidecarctl.facts.finding_json import findings_json, reference_json
from sidecarctl.facts.paths import path_text
from sidecarctl.facts.values import Object
from sidecarctl.operations.comparing.recreated_pods import RecreatedPods
from sidecarctl.operations.comparing.release_effects import Effect
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
        "sidecarSets": [_set(upgrade) for upgrade in facts.sets],
        "recreatedPods": [_recreated(recreated) for recreated in facts.recreated],
        "findings": findings_json(report.findings),
    }


def _set(upgrade: SetUpgrade) -> Object:
    members: Object = {
        "name": upgrade.name,
        "verdict": str(upgrade.verdict),
        "explanation": explanation(upgrade.verdict),
        "before": _version(upgrade.before),
        "after": _version(upgrade.after),
        "effects": [_effect(effect) for effect in upgrade.effects],
    }
    if upgrade.running:
        pods = upgrade.running
        members["runningPods"] = {
            "matched": pods.matched,
            "updated": pods.updated,
            "inPlace": pods.in_place,
            "held": pods.held,
            "recreate": pods.recreate,
            "leftOut": pods.left_out,
        }
    return members


def _effect(effect: Effect) -> Object:
    return {
        "topic": str(effect.topic),
        "severity": str(effect.severity),
        "path": path_text(effect.path),
        "message": effect.message,
    }


def _version(sidecarset: SidecarSet) -> Object:
    return {
        "hash": sidecarset.hash,
        "hashWithoutImage": sidecarset.hash_without_image,
        "revision": revision_name(sidecarset),
    }


def _recreated(recreated: RecreatedPods) -> Object:
    return {
        "object": reference_json(recreated.reference),
        "pods": recreated.number,
        "before": recreated.before,
        "after": recreated.after,
        "fields": [
            {"path": field.text, "before": field.before, "after": field.after, "order": field.is_order}
            for field in recreated.fields
        ],
    }
