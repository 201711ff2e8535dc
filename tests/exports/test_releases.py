"""Releases never change: the same state gives the same bytes, rows rebuild the folder, tampering is found."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation.models import Annotation, Project, Solution, User
from annotation.submission import Settled
from exports.folder import FILES, MANIFEST
from exports.models import Release, ReleaseItem
from exports.releases import CannotFreeze, export, faults_of, folder_of, freeze, lines_of, records_of, tampering
from review import discussion
from review.adjudication import Decision, decide
from review.models import Outcome
from review.published import import_file, read
from tests.at_once import at_once
from tests.exports.campaigns import Campaign, decided_campaign
from tests.labels import RIGHT, say, wrong

ALL_FILES = (*FILES, MANIFEST)


def bytes_of(path: Path) -> dict[str, bytes]:
    return {name: (path / name).read_bytes() for name in ALL_FILES}


def json_lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_release_holds_gold_and_lists_the_rest_with_the_reason(campaign: Campaign) -> None:
    release = campaign.freeze()
    ids = [solution.item_id for solution in campaign.solutions]
    assert [item.item_id for item in release.items.order_by("position")] == ids[:3]
    assert [item.verdict for item in release.items.order_by("position")] == [
        RIGHT, wrong(1, reason="One and one is two."), wrong(1, reason="The sign is lost."),
    ]  # fmt: skip
    assert json_lines(release.left_out_text) == [
        {"id": ids[3], "outcome": "discarded", "why": "Cut off."},
        {"id": ids[4], "outcome": "open", "why": "Ask the physicist."},
        {"id": ids[5], "outcome": "undecided", "why": ""},
    ]
    assert release.manifest["counts"] == {
        "items": 3, "problems": 3, "by_subject": {"math": {"correct": 1, "incorrect": 2}}
    }  # fmt: skip
    assert release.manifest["policy"]["overlap"] == 2


def test_votes_name_nobody(campaign: Campaign) -> None:
    votes = json_lines(campaign.freeze().votes_text)
    ids = [solution.item_id for solution in campaign.solutions]
    assert [(vote["id"], vote["annotator"], vote["correct"], vote["first_error"]) for vote in votes] == [
        (ids[0], "a1", True, None), (ids[0], "a2", True, None),
        (ids[1], "a1", False, 1), (ids[1], "a2", False, 1),
        (ids[2], "a1", True, None), (ids[2], "a2", False, 1),
        (ids[3], "a1", True, None), (ids[3], "a2", False, 0),
    ]  # fmt: skip


def test_the_discussion_names_nobody_and_comes_only_when_the_policy_wants_it(campaign: Campaign) -> None:
    item = campaign.solutions[0]
    discussion.say(campaign.project, campaign.lead, "Sure, @ana, and @ben? @somebody is not.", solution=item)
    assert campaign.freeze("1.0.0").discussion_text == ""
    campaign.project.export_discussion = True
    campaign.project.save()
    (said,) = json_lines(campaign.freeze("1.0.1").discussion_text)
    assert said["id"] == item.item_id
    names = {"author": said["author"]} | dict(zip(("ana", "ben"), re.findall(r"@(p\d)", said["text"]), strict=True))
    assert sorted(names.values()) == ["p1", "p2", "p3"]
    assert said["text"] == f"Sure, @{names['ana']}, and @{names['ben']}? @somebody is not."


def test_freezing_the_same_state_twice_gives_the_same_bytes(campaign: Campaign) -> None:
    first = bytes_of(folder_of(campaign.freeze()))
    Release.objects.all().delete()
    again = campaign.freeze()
    assert bytes_of(folder_of(again)) == first


def test_the_same_work_in_another_campaign_has_the_same_content(
    campaign: Campaign, make_project: Callable[..., Project], annotators: list[User], lead: User
) -> None:  # fmt: skip
    other = decided_campaign(make_project, annotators, lead, slug="other")
    assert campaign.freeze().content_hash == other.freeze().content_hash


def test_a_version_is_frozen_once_and_a_correction_is_a_new_one(campaign: Campaign) -> None:
    first = campaign.freeze()
    with pytest.raises(CannotFreeze, match="exists already"):
        campaign.freeze()
    before = bytes_of(folder_of(first))
    solution = campaign.solutions[0]
    standing = solution.adjudications.get()
    decide(solution, campaign.lead, Decision(Outcome.GOLD, wrong(0), rationale="A slip of mine.", seen=standing.pk))
    second = campaign.freeze("1.0.1")
    assert second.content_hash != first.content_hash
    assert bytes_of(folder_of(first)) == before
    assert first.items.get(item_id=solution.item_id).verdict == RIGHT
    assert [item.item_id for item in first.items.all()] == [item.item_id for item in second.items.all()]


@pytest.mark.parametrize("version", ["", "../1", "1 0", "-1", "1/0", "x" * 41, "1.0\n"])
def test_a_version_is_a_plain_name(campaign: Campaign, version: str) -> None:
    with pytest.raises(CannotFreeze, match="letters, digits"):
        campaign.freeze(version)


def test_there_must_be_gold(project: Project, lead: User) -> None:
    with pytest.raises(CannotFreeze, match="Nothing is decided"):
        freeze(project, "1.0.0", "", lead)
    assert not Release.objects.exists()


def test_labels_of_a_decided_item_cannot_change_any_more(campaign: Campaign, annotators: list[User]) -> None:
    late = campaign.solutions[5]
    decide(late, campaign.lead, Decision(Outcome.GOLD, RIGHT, missing_labels=1))
    release = campaign.freeze()
    before = list(lines_of(release))
    with pytest.raises(Settled):
        say(late, annotators[1], wrong(0))
    Annotation.objects.update(reason="", category="", rectified="", correct=True, first_error=None)
    Solution.objects.update(raw_text="changed")
    assert list(lines_of(release)) == before, "nothing after freezing reads what was copied"


# --- the folder ---------------------------------------------------------------------------------------------------


def test_a_lost_folder_is_rebuilt_from_the_rows_byte_for_byte(campaign: Campaign) -> None:
    release = campaign.freeze()
    path = folder_of(release)
    before = bytes_of(path)
    for name in ALL_FILES:
        (path / name).unlink()
    path.rmdir()
    assert bytes_of(folder_of(Release.objects.get())) == before
    assert faults_of(release, path) == []


@pytest.mark.django_db(transaction=True)
def test_many_who_want_a_lost_folder_at_once_get_one_whole_folder(
    make_project: Callable[..., Project], annotators: list[User], lead: User
) -> None:
    release = decided_campaign(make_project, annotators, lead).freeze()
    (path,) = set(at_once(*[lambda: folder_of(Release.objects.get())] * 6))
    assert faults_of(release, Path(str(path))) == []


@pytest.mark.parametrize("name", ALL_FILES)
def test_a_changed_file_is_told_and_put_right(campaign: Campaign, name: str) -> None:
    release = campaign.freeze()
    path = folder_of(release)
    before = bytes_of(path)
    (path / name).write_bytes(before[name].replace(b"a", b"b", 1) or b"{}\n")
    (fault, *_more) = faults_of(release, path)
    assert name in fault
    assert bytes_of(folder_of(release)) == before


def test_a_folder_that_fits_itself_but_is_another_release_is_told(
    campaign: Campaign, make_project: Callable[..., Project], annotators: list[User], lead: User
) -> None:  # fmt: skip
    other = decided_campaign(make_project, annotators, lead, slug="other").freeze()
    release = campaign.freeze()
    assert faults_of(release, folder_of(other)) == ["manifest.json is not the one that was frozen."]


def test_a_changed_row_is_told_and_given_to_nobody(campaign: Campaign) -> None:
    release = campaign.freeze()
    item = release.items.get(position=1)
    ReleaseItem.objects.filter(pk=item.pk).update(record=item.record.replace("two", "three"))
    with pytest.raises(CannotFreeze, match=item.item_id):
        folder_of(release)


def test_tampering_with_rows_is_found_though_the_folder_is_intact(campaign: Campaign) -> None:
    release = campaign.freeze()
    folder_of(release)
    assert tampering(release) == []
    item = release.items.get(position=1)
    ReleaseItem.objects.filter(pk=item.pk).update(first_error=0)
    assert tampering(release) == [f"In the database: item {item.item_id} does not say what its frozen line says."]
    ReleaseItem.objects.filter(pk=item.pk).update(record=item.record.replace("two", "three"))
    assert tampering(release) == [f"In the database: items.jsonl, line 2: item {item.item_id} was changed."]


def test_tampering_with_the_folder_is_found_and_nothing_mended(campaign: Campaign) -> None:
    release = campaign.freeze()
    votes = folder_of(release) / "votes.jsonl"
    votes.write_bytes(votes.read_bytes().replace(b"a1", b"a2"))
    for _n in range(2):
        assert tampering(release) == ["votes.jsonl was changed."]


def test_the_records_of_a_release_are_those_of_its_lines(campaign: Campaign) -> None:
    records = list(records_of(campaign.freeze()))
    assert [record.id for record in records] == [solution.item_id for solution in campaign.solutions[:3]]
    assert records[1].gold is not None
    assert records[1].gold.verdict == wrong(1, reason="One and one is two.")


# --- a whole published file ---------------------------------------------------------------------------------------


def test_mr_ben_biology_comes_out_as_it_went_in(
    make_project: Callable[..., Project], lead: User, shared_data: Path, tmp_path: Path
) -> None:
    project = make_project(0)
    data = (shared_data / "mr-ben" / "biology.json").read_bytes()
    reading = read(data, "biology.json", "mr-ben")
    unplaced = [record for record in reading.records if record.gold is None]
    report = import_file(project, reading, lead, labels="gold", skip_bad=True)
    release = freeze(project, "1.0.0", "", lead)
    assert (report.gold, release.items.count(), len(unplaced)) == (1033, 1033, 2)
    assert [each["id"] for each in json_lines(release.left_out_text)] == [record.id for record in unplaced]

    out = tmp_path / "biology.json"
    assert export(release, "mr-ben", out) == []
    assert dict(_without(json.loads(data), reading.records, {record.id for record in unplaced})) == json.loads(
        out.read_bytes()
    )

    frozen = {record.id: record for record in records_of(release)}
    for record in reading.records:
        if record.gold:
            back = frozen[record.id]
            assert replace(back, where="", oddities=()) == replace(
                record, where="", oddities=(), labels=(), gold=replace(record.gold, basis="published")
            )


def _without(whole: dict[str, list[Any]], records: list[Any], left_out: set[str]) -> list[tuple[str, list[Any]]]:
    """The file's groups without some records, which stand in it in the order of `records`."""
    order = iter(records)
    kept = [(key, [entry for entry in group if next(order).id not in left_out]) for key, group in whole.items()]
    return [(key, group) for key, group in kept if group]
