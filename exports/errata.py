"""What a release changes against the one before it."""

import json
from typing import Any

from annotation.models import Project
from exports.final_verdicts import gold_records
from exports.formats.stepmark import as_object
from exports.models import Release
from review.models import KeyProposal

LABEL_PARTS = ("correct", "first_error", "placement", "category", "reason", "rectified")


def errata(project: Project) -> list[dict[str, Any]]:
    """The items added, removed or changed since the newest release, each with what changed; empty for a first one."""
    before = Release.objects.filter(project=project).order_by("-pk").first()
    if before is None:
        return []
    old = {item.item_id: json.loads(item.record) for item in before.items.order_by("position")}
    new = {record.id: json.loads(json.dumps(as_object(record, labels=False))) for record in gold_records(project)}
    keys = _key_reasons(project, before)
    found = [{"id": item, "change": "removed", **_why(old[item], keys)} for item in old if item not in new]
    for item, record in new.items():
        if item not in old:
            found.append({"id": item, "change": "added"})
        elif record != old[item]:
            found.append({"id": item, "change": "changed", **_changed(old[item], record, keys)})
    return found


def _changed(old: dict[str, Any], new: dict[str, Any], keys: dict[tuple[str, str], str]) -> dict[str, Any]:
    told: dict[str, Any] = {}
    parts = [part for part in LABEL_PARTS if old["gold"][part] != new["gold"][part]]
    if parts:
        told["label"] = {part: [old["gold"][part], new["gold"][part]] for part in parts}
    if old["answer_keys"] != new["answer_keys"]:
        told["answer_key"] = [old["answer_keys"][-1:], new["answer_keys"][-1:]]
        told["why"] = keys.get((new["source"], new["external_id"]), "")
    return told


def _why(old: dict[str, Any], keys: dict[tuple[str, str], str]) -> dict[str, str]:
    why = keys.get((old["source"], old["external_id"]))
    return {"why": why} if why else {}


def _key_reasons(project: Project, since: Release) -> dict[tuple[str, str], str]:
    """Why keys or standings were changed after a release, by problem."""
    accepted = KeyProposal.objects.filter(problem__project=project, approved=True)
    rows = accepted.filter(decided_at__gt=since.frozen_at).order_by("pk")
    return {
        (source, external): reason
        for source, external, reason in rows.values_list("problem__source", "problem__external_id", "reason")
    }
