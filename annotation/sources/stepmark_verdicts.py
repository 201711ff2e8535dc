"""The gold label and the annotators' labels of a Stepmark line."""

from __future__ import annotations

from typing import Any

from annotation.sources.fields import Fields, shown
from annotation.sources.records import GoldRecord, LabelRecord
from annotation.verdicts import Verdict, VerdictError

LONGEST_CATEGORY = 60
LONGEST_ANNOTATOR = 150


def gold_of(fields: Fields, n_steps: int) -> GoldRecord | None:
    """The gold label; None when there is none or it contradicts itself or the steps (then an oddity says so)."""
    stated = fields.values.get("gold")
    if stated is None:
        return None
    verdict = _verdict(fields, "gold", stated, n_steps)
    if verdict is None:
        return None
    pairs, basis = stated.get("reasons") or [], stated.get("basis") or ""
    if not isinstance(pairs, list) or not all(_is_pair(pair) for pair in pairs):
        fields.odd("wrong_type", "blocking", "gold", "gold.reasons is a list of [reason, rectified step].")
        return None
    if not isinstance(basis, str):
        fields.odd("wrong_type", "blocking", "gold", f"gold.basis is a text, not {shown(basis)}.")
        return None
    return GoldRecord(verdict, tuple((reason, rectified) for reason, rectified in pairs), basis)


def labels_of(fields: Fields, n_steps: int) -> tuple[LabelRecord, ...]:
    """The annotators' labels that hold; an oddity tells of each that does not."""
    stated = fields.values.get("labels") or []
    if not isinstance(stated, list):
        fields.wrong_type("labels", "a list of labels", in_field="labels")
        return ()
    labels: dict[str, LabelRecord] = {}
    for entry in stated:
        label = _label(fields, entry, n_steps)
        if label and label.annotator in labels:
            message = f"{label.annotator} labels this solution twice; the first label is kept."
            fields.odd("annotator_twice", "blocking", "labels", message)
        elif label:
            labels[label.annotator] = label
    return tuple(labels.values())


def _label(fields: Fields, entry: Any, n_steps: int) -> LabelRecord | None:
    verdict = _verdict(fields, "labels", entry, n_steps)
    if verdict is None:
        return None
    annotator, seconds = entry.get("annotator"), entry.get("active_seconds") or 0
    if not isinstance(annotator, str) or not annotator.strip() or len(annotator) > LONGEST_ANNOTATOR:
        message = f"annotator is a name of at most {LONGEST_ANNOTATOR} characters, not {shown(annotator)}."
        fields.odd("wrong_type", "blocking", "labels", message)
        return None
    if type(seconds) is not int or not 0 <= seconds < 2**31:
        fields.odd("wrong_type", "blocking", "labels", f"active_seconds is a whole number, not {shown(seconds)}.")
        return None
    return LabelRecord(annotator, verdict, seconds)


def _verdict(fields: Fields, name: str, stated: Any, n_steps: int) -> Verdict | None:
    if not isinstance(stated, dict):
        fields.odd("wrong_type", "blocking", name, f"{name} is an object, not {shown(stated)}.")
        return None
    try:
        verdict = Verdict.from_mapping(stated)
        verdict.check(n_steps)
    except VerdictError as error:
        fields.odd("bad_verdict", "blocking", name, str(error))
        return None
    if len(verdict.category) > LONGEST_CATEGORY:
        message = f"The category has {len(verdict.category)} characters; at most {LONGEST_CATEGORY} fit."
        fields.odd("too_long", "blocking", name, message)
        return None
    return verdict


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) for part in pair)
