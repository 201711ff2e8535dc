"""Importing a file with its published labels: ignored, taken as gold, or as annotators' labels."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotation.models import Annotation, Event, Problem, Project, Solution, Step, User
from annotation.verdicts import Verdict
from review.models import AcceptedReason, Adjudication, Basis
from review.published import ImportRefused, ImportReport, import_file, read
from review.stages import stage_counts
from tests.labels import open_slots_of

WRONG = {"correct": False, "first_error": 1, "category": "logic", "reason": "It does not follow.", "rectified": "So."}
GOLD = {**WRONG, "reasons": [["It does not follow.", "So."], ["The step is no consequence.", "Thus."]]}
LABELS = [{"annotator": "ana", **WRONG}, {"annotator": "published-2", "correct": True, "first_error": None}]


def line(name: str, **parts: Any) -> dict[str, Any]:
    text = f"Step 1: begin {name}\nStep 2: end {name}"
    return {"external_id": name, "question": f"{name}?", "sampled_from": "m", "raw_text": text, **parts}


GOOD = line("good", gold=GOLD, labels=LABELS)
UNLABELLED = line("unlabelled")
BAD_GOLD = line("bad-gold", gold={**WRONG, "first_error": 9})
BAD = {"external_id": "bad", "question": "no text?", "sampled_from": "m"}


@pytest.fixture
def bring_in(make_project: Callable[..., Project], lead: User) -> Callable[..., ImportReport]:
    project = make_project(0)

    def bring(*lines: dict[str, Any], **options: Any) -> ImportReport:
        data = "\n".join(json.dumps(each) for each in lines).encode()
        return import_file(project, read(data, "set.jsonl", "stepmark"), lead, **options)

    return bring


def test_ignored_labels_leave_everything_to_be_labelled(bring_in: Callable[..., ImportReport]) -> None:
    report = bring_in(GOOD, UNLABELLED, BAD_GOLD)
    assert (report.records, report.solutions, report.labels, report.gold, report.skipped) == (3, 3, 0, 0, 0)
    assert "bad_verdict" in report.kinds(), "told, though it hinders nothing"
    assert not Annotation.objects.exists()
    assert not Adjudication.objects.exists()
    assert open_slots_of(Project.objects.get()) == 6


def test_gold_settles_with_every_accepted_reason(bring_in: Callable[..., ImportReport], lead: User) -> None:
    report = bring_in(GOOD, UNLABELLED, labels="gold")
    assert (report.solutions, report.gold, report.labels) == (2, 1, 0)
    row = Adjudication.objects.get()
    assert (row.basis, row.decided_by, row.verdict) == (Basis.PUBLISHED, lead, Verdict.from_mapping(WRONG))
    assert list(AcceptedReason.objects.values_list("ordinal", "reason", "rectified")) == [
        (1, "The step is no consequence.", "Thus.")
    ]
    assert row.solution.settled_at is not None
    assert stage_counts(Project.objects.get())["unlabelled"] == 1


def test_labels_become_annotations_to_be_adjudicated(bring_in: Callable[..., ImportReport]) -> None:
    report = bring_in(GOOD, labels="annotations")
    assert (report.labels, report.gold) == (2, 0)
    assert set(Annotation.objects.values_list("assignment__annotator__username", "first_error")) == {
        ("ana", 1), ("trial/published-2", None),
    }  # fmt: skip
    assert stage_counts(Project.objects.get())["disputed"] == 1


@pytest.mark.parametrize("labels", ["gold", "annotations"])
def test_an_item_tells_once_who_brought_its_labels_in(
    bring_in: Callable[..., ImportReport], lead: User, labels: str
) -> None:
    for _time in range(2):
        bring_in(GOOD, UNLABELLED, labels=labels)
    acts = Event.objects.filter(act="imported", solution__isnull=False)
    assert [(event.actor, event.detail) for event in acts] == [(lead, {"labels": labels})]
    assert acts.get().solution == Solution.objects.exclude(assignments__annotations=None, adjudications=None).get()


@pytest.mark.parametrize("labels", ["ignore", "gold", "annotations"])
def test_the_same_file_again_adds_nothing(bring_in: Callable[..., ImportReport], labels: str) -> None:
    def stored() -> list[int]:
        return [model.objects.count() for model in (Problem, Solution, Step, Annotation, Adjudication, AcceptedReason)]

    bring_in(GOOD, UNLABELLED, labels=labels)
    before = stored()
    report = bring_in(GOOD, UNLABELLED, labels=labels)
    assert (report.problems, report.solutions, report.known, report.labels, report.gold) == (0, 0, 2, 0, 0)
    assert stored() == before


def test_a_decision_made_here_is_not_replaced_by_published_gold(
    bring_in: Callable[..., ImportReport], lead: User
) -> None:
    bring_in(GOOD)
    own = Adjudication.objects.create(
        solution=Solution.objects.get(), outcome="open", basis=Basis.OWN, decided_by=lead, rationale="Look again."
    )
    assert bring_in(GOOD, labels="gold").gold == 0
    assert list(Adjudication.objects.all()) == [own]


def test_one_bad_record_stops_the_file_and_is_named(bring_in: Callable[..., ImportReport]) -> None:
    with pytest.raises(ImportRefused, match="1 record has errors") as refusal:
        bring_in(GOOD, BAD)
    assert [(o.record, o.severity) for o in refusal.value.oddities] == [("line 2", "blocking")]
    assert "line 2" in str(refusal.value)
    assert not Problem.objects.exists()


def test_skipping_takes_the_rest_and_counts_what_is_left_out(bring_in: Callable[..., ImportReport]) -> None:
    report = bring_in(GOOD, BAD, UNLABELLED, skip_bad=True)
    assert (report.records, report.solutions, report.skipped) == (3, 2, 1)
    assert any(o.record == "line 2" and o.severity == "blocking" for o in report.oddities)


def test_a_bad_label_matters_when_labels_are_wanted(bring_in: Callable[..., ImportReport]) -> None:
    with pytest.raises(ImportRefused):
        bring_in(BAD_GOLD, labels="gold")
    report = bring_in(BAD_GOLD, labels="gold", skip_bad=True)
    assert (report.solutions, report.gold, report.skipped) == (1, 0, 0), "the solution comes in without its label"


def test_another_text_under_a_known_id_is_refused_and_skipping_keeps_the_old(
    bring_in: Callable[..., ImportReport],
) -> None:
    bring_in(UNLABELLED)
    changed = {**UNLABELLED, "raw_text": "Step 1: something else"}
    with pytest.raises(ImportRefused, match="different text"):
        bring_in(changed)
    report = bring_in(changed, GOOD, skip_bad=True)
    assert (report.solutions, report.skipped) == (1, 1)
    assert Solution.objects.get(problem__external_id="unlabelled").raw_text == UNLABELLED["raw_text"]


@pytest.mark.parametrize("labels", ["ignore", "gold", "annotations"])
def test_a_preview_foretells_and_writes_nothing(bring_in: Callable[..., ImportReport], labels: str) -> None:
    def counted(report: ImportReport) -> tuple[int, ...]:
        return report.records, report.problems, report.solutions, report.known, report.labels, report.gold

    bring_in(UNLABELLED)
    foretold = bring_in(GOOD, UNLABELLED, labels=labels, dry_run=True)
    assert Solution.objects.count() == 1
    assert counted(foretold) == counted(bring_in(GOOD, UNLABELLED, labels=labels))


def test_an_empty_campaign_takes_a_file_of_windows_lines_and_a_byte_order_mark(
    make_project: Callable[..., Project], lead: User, tmp_path: Path
) -> None:
    data = b"\xef\xbb\xbf" + "\r\n".join(json.dumps(each) for each in (GOOD, UNLABELLED)).encode()
    report = import_file(make_project(0), read(data, "set.jsonl", "stepmark"), lead)
    assert report.solutions == 2
