"""Labelling and setting up over the API: the same acts as on the pages, with the same refusals."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation import guidelines, jobs
from annotation.assignments import claim_next
from annotation.intake import take_in
from annotation.models import Annotation, Assignment, Job, Project, Solution, User
from review.tasks import import_upload
from tests.conftest import PASSWORD, solution_record
from tests.labels import RIGHT, say, solutions_of, wrong
from tests.programs import Program, items

WRONG = {"correct": False, "first_error": 1, "category": "logic", "reason": "This does not follow."}


def key() -> str:
    return str(uuid.uuid4())


@pytest.fixture
def ana(annotators: list[User]) -> Program:
    return Program(annotators[0])


@pytest.fixture
def leading(lead: User) -> Program:
    return Program(lead)


# Logging in


def test_name_and_password_are_exchanged_for_a_token_that_can_be_revoked(project: Project, client: Client) -> None:
    cache.clear()
    sent = {"username": "ana", "password": PASSWORD}
    token = client.post("/api/token/", sent, content_type="application/json").json()["token"]
    named = Client(headers={"Authorization": f"Token {token}"})
    assert named.get("/api/projects/").json()["count"] == 1
    assert named.delete("/api/token/").status_code == 204
    refused = named.get("/api/projects/")
    assert (refused.status_code, refused.json()) == (401, {"detail": "Invalid token.", "field": None})


def test_guessing_passwords_is_slowed_down(annotators: list[User], client: Client) -> None:
    cache.clear()
    sent = {"username": "ana", "password": "guess"}
    answers = [client.post("/api/token/", sent, content_type="application/json") for _n in range(11)]
    assert [answer.status_code for answer in answers] == [400] * 10 + [429]
    assert answers[-1].json()["field"] is None
    assert int(answers[-1].headers["Retry-After"]) > 0
    cache.clear()


def test_a_browser_session_works_too_and_needs_the_csrf_token(project: Project, annotators: list[User]) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(annotators[0])
    assert browser.get("/api/projects/").status_code == 200
    assert browser.post("/api/projects/trial/claim/").status_code == 403
    assert not Assignment.objects.exclude(annotator=None).exists()


def test_an_account_that_is_closed_gets_nowhere(ana: Program, annotators: list[User]) -> None:
    User.objects.filter(pk=annotators[0].pk).update(is_active=False)
    ana.get("projects/", 401)


# Errors


@pytest.mark.parametrize(
    ("path", "body", "status", "field"),
    [
        ("no/such/address/", "{}", 404, None),
        ("projects/nowhere/claim/", "{}", 404, None),
        ("projects/", "{", 400, None),
        ("projects/", "[]", 400, None),
        ("projects/", '{"name": "N"}', 400, "slug"),
        ("projects/", '{"name": "N", "slug": "n", "members": ["ana", "nobody"]}', 400, "members"),
        ("projects/", '{"name": "N", "slug": "n", "overlap": 0}', 400, "overlap"),
        ("projects/", '{"name": "N", "slug": "n", "categories": ["a", ""]}', 400, "categories.1"),
        ("projects/", '{"name": "N", "slug": "n", "categories": ["a", "a"]}', 400, "categories"),
        ("projects/", '{"name": "N", "slug": "n", "categories": []}', 400, "categories"),
    ],
)
def test_every_refusal_has_the_same_shape(
    leading: Program, annotators: list[User], path: str, body: str, status: int, field: str | None
) -> None:
    answer = leading.client.post(f"/api/{path}", body, content_type="application/json")
    assert answer.status_code == status
    assert set(answer.json()) == {"detail", "field"}
    assert answer.json()["field"] == field
    assert answer.json()["detail"]
    assert not Project.objects.exists()


# Campaigns


def test_a_lead_sets_a_campaign_up_and_changes_its_policy(leading: Program, annotators: list[User]) -> None:
    made = leading.post("projects/", 201, slug="new", name="New", members=["ana"], overlap=1)
    assert (made["members"], made["overlap"], made["min_reason"]) == (["ana"], 1, 15)
    take_in(Project.objects.get(), [solution_record(0)])
    changed = leading.patch("projects/new/", overlap=3, members=["ana", "ben"])
    assert (changed["overlap"], changed["members"], changed["name"]) == (3, ["ana", "ben"], "New")
    assert Assignment.objects.count() == 3  # the further slots are open
    assert leading.patch("projects/new/", name="Renamed")["members"] == ["ana", "ben"]


def test_what_the_work_done_forbids_is_a_conflict(leading: Program, project: Project) -> None:
    refused = leading.patch("projects/trial/", 409, overlap=1)
    assert refused["field"] == "overlap"
    assert leading.patch("projects/trial/", 400, slug="other")["field"] == "slug"
    project.refresh_from_db()
    assert (project.overlap, project.slug) == (2, "trial")


def test_an_annotator_sees_only_their_campaigns(ana: Program, make_project: Callable[..., Project]) -> None:
    make_project(1)
    Project.objects.create(slug="secret", name="Secret")
    assert [row["slug"] for row in ana.get("projects/")["results"]] == ["trial"]
    ana.get("projects/secret/", 404)


def test_a_new_guideline_is_read_before_the_next_claim(ana: Program, leading: Program, project: Project) -> None:
    ana.get("projects/trial/guideline/", 404)
    ana.post("projects/trial/guideline/", 403, text="Mine.")
    assert leading.post("projects/trial/guideline/", 201, text="Read every step.")["version"] == 1
    assert "guideline" in ana.post("projects/trial/claim/", 409)["detail"]
    assert ana.get("projects/trial/guideline/")["text"] == "Read every step."
    ana.post("projects/trial/guideline/acknowledge/", 404, version=2)
    ana.post("projects/trial/guideline/acknowledge/", 204, version=1)
    ana.post("projects/trial/claim/")
    assert guidelines.unread(project, User.objects.get(username="ana")) is None


# Reading


def test_a_claim_leases_one_item_and_gives_what_is_to_be_read(ana: Program, project: Project) -> None:
    got = ana.post("projects/trial/claim/")
    assert ana.post("projects/trial/claim/")["id"] == got["id"]
    slot = Assignment.objects.get(pk=got["id"])
    assert slot.annotator is not None
    assert slot.annotator.username == "ana"
    assert [step["text"] for step in got["solution"]["steps"]] == [
        "part 0 of 0", "part 1 of 0", "part 2 of 0", "Solution: Choice_A",
    ]  # fmt: skip
    assert [step["name"] for step in got["solution"]["steps"]] == ["Step 1", "Step 2", "Step 3", "Answer"]
    assert got["solution"]["problem"]["options"][1] == {"label": "B", "text": "two"}


@pytest.mark.parametrize(
    ("policy", "key_shown", "reference_shown"),
    [
        ({"show_answer_key": True, "show_reference": False}, ["A"], None),
        ({"show_answer_key": False, "show_reference": True}, None, "Because it is A."),
    ],
)
def test_key_and_reference_are_shown_as_the_policy_says(
    ana: Program, make_project: Callable[..., Project], policy: dict[str, bool], key_shown: Any, reference_shown: Any
) -> None:
    project = make_project(1, **policy)
    project.problems.update(reference_solution="Because it is A.")
    shown = ana.post("projects/trial/claim/")["solution"]
    for problem in (shown["problem"], ana.get("projects/trial/problems/")["results"][0]):
        assert (problem["answer_key"], problem["reference_solution"]) == (key_shown, reference_shown)
    assert shown["final_answer"] == ("A" if key_shown else None)
    assert shown["answer_agrees"] == (True if key_shown else None)


def test_an_annotator_reads_the_solutions_they_hold_or_have_labelled(ana: Program, project: Project) -> None:
    first, second, third = (solution.item_id for solution in solutions_of(project))
    assert items(ana.get("projects/trial/solutions/")) == []
    slot = ana.post("projects/trial/claim/")["id"]
    assert items(ana.get("projects/trial/solutions/")) == [first]
    ana.post(f"assignments/{slot}/submit/", 201, key=key(), correct=True)
    ana.post("projects/trial/claim/")
    assert items(ana.get("projects/trial/solutions/")) == [first, second]
    ana.get(f"projects/trial/solutions/{third}/", 404)
    assert ana.get("projects/trial/problems/")["count"] == 2


def test_a_lead_reads_all_of_a_solution_and_filters(leading: Program, project: Project) -> None:
    take_in(project, [solution_record(9, subject="law")])
    found = leading.get("projects/trial/solutions/?subject=law")
    assert found["count"] == 1
    row = found["results"][0]
    assert (row["sampled_from"], row["problem"]["external_id"]) == ("model-x", "p9")
    step = row["steps"][1]
    assert row["raw_text"][step["start"] : step["end"]] == step["text"]
    assert row["problem"]["answer_keys"][0]["accepted"] == ["A"]
    assert leading.get("projects/trial/problems/?subject=law&standing=usable")["count"] == 1
    assert leading.get("projects/trial/problems/?standing=ambiguous")["count"] == 0
    assert leading.get("projects/trial/solutions/?subject=%00", 400)["field"] == "subject"


def test_lists_come_in_pages(leading: Program, project: Project) -> None:
    page = leading.get("projects/trial/solutions/?page_size=2")
    assert (page["count"], len(page["results"]), page["previous"]) == (3, 2, None)
    assert items(leading.get("projects/trial/solutions/?page_size=2&page=2")) == [solutions_of(project)[2].item_id]
    leading.get("projects/trial/solutions/?page=9", 404)


@pytest.mark.parametrize(
    ("path", "who"),
    [
        ("projects/", "lead"), ("projects/trial/problems/", "lead"), ("projects/trial/solutions/", "lead"),
        ("projects/trial/jobs/", "lead"), ("annotations/", "ana"), ("projects/trial/solutions/", "ana"),
        ("projects/trial/problems/", "ana"),
    ],
)  # fmt: skip
def test_a_list_takes_as_many_queries_for_three_rows_as_for_one(
    ana: Program, leading: Program, annotators: list[User], lead: User, make_project: Callable[..., Project],
    path: str, who: str,
) -> None:  # fmt: skip
    program = ana if who == "ana" else leading

    def grow(n: int) -> None:
        project = Project.objects.get(slug="trial")
        take_in(project, [solution_record(n)])
        say(solutions_of(project)[-1], annotators[0], wrong(1))
        jobs.start(import_upload, project, lead, title=f"Job {n}")
        if n:
            Project.objects.create(slug=f"more-{n}", name=f"More {n}").members.add(annotators[1])

    def queries() -> tuple[int, int]:
        with CaptureQueriesContext(
            connection,
        ) as counted:
            rows = len(program.get(path)["results"])
        return rows, len(counted)

    make_project(0)
    grow(0)
    one = queries()
    grow(1)
    grow(2)
    assert (one[0], queries()) == (1, (3, one[1]))


# Labelling


def test_a_label_is_stored_once_however_often_it_is_sent(ana: Program, project: Project) -> None:
    slot, once = ana.post("projects/trial/claim/")["id"], key()
    stored = ana.post(f"assignments/{slot}/submit/", 201, key=once, **WRONG, active_seconds=40)
    again = ana.post(f"assignments/{slot}/submit/", 200, key=once, **WRONG, active_seconds=40)
    assert again == stored
    assert {name: stored[name] for name in WRONG} == WRONG
    label = Annotation.objects.get()
    assert (label.first_error, label.active_seconds, str(label.key)) == (1, 40, once)


def test_a_key_used_twice_for_different_labels_loses_none_of_them_silently(ana: Program, project: Project) -> None:
    first, once = ana.post("projects/trial/claim/")["id"], key()
    ana.post(f"assignments/{first}/submit/", 201, key=once, correct=True)
    second = ana.post("projects/trial/claim/")["id"]
    assert ana.post(f"assignments/{second}/submit/", 400, key=once, correct=True)["field"] == "key"
    assert ana.post(f"assignments/{first}/submit/", 400, key=once, **WRONG)["field"] == "key"


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({}, "correct"),
        ({"correct": None}, "correct"),
        ({"correct": False}, "first_error"),
        ({**WRONG, "first_error": 4}, "first_error"),
        ({**WRONG, "first_error": 10**30}, "first_error"),
        ({**WRONG, "first_error": "second"}, "first_error"),
        ({**WRONG, "placement": "beside"}, "placement"),
        ({**WRONG, "category": "astrology"}, "category"),
        ({**WRONG, "reason": "no"}, "reason"),
        ({**WRONG, "reason": "x" * 20_001}, "reason"),
        ({**WRONG, "reason": "a null \x00 character"}, "reason"),
        ({"correct": True, "reason": "because"}, "reason"),
        ({"correct": True, "key": "not-a-uuid"}, "key"),
        ({"correct": True, "active_seconds": -1}, "active_seconds"),
        ({"correct": True, "step_labels": [{"position": 0, "value": 1}]}, "step_labels"),
        ({"correct": True, "step_labels": [{"position": 0, "value": 7}]}, "step_labels.0.value"),
    ],
)
def test_a_label_that_cannot_be_is_refused_with_the_part_to_change(
    ana: Program, project: Project, sent: dict[str, Any], field: str
) -> None:
    slot = ana.post("projects/trial/claim/")["id"]
    refused = ana.post(f"assignments/{slot}/submit/", 400, **{"key": key(), **sent})
    assert refused["field"] == field
    assert not Annotation.objects.exists()


def test_blanks_and_lines_of_a_reason_are_kept(ana: Program, project: Project) -> None:
    slot, reason = ana.post("projects/trial/claim/")["id"], "  first line\n\tsecond line  "
    stored = ana.post(f"assignments/{slot}/submit/", 201, key=key(), **{**WRONG, "reason": reason})
    assert stored["reason"] == reason == Annotation.objects.get().reason


def test_correct_in_spite_of_the_answer_has_to_be_confirmed(ana: Program, project: Project) -> None:
    Solution.objects.update(final_answer="B")
    slot = ana.post("projects/trial/claim/")["id"]
    refused = ana.post(f"assignments/{slot}/submit/", 400, key=key(), correct=True)
    assert refused["field"] == "confirm_conflict"
    stored = ana.post(f"assignments/{slot}/submit/", 201, key=key(), correct=True, confirm_conflict=True)
    assert stored["answer_conflict_confirmed"] is True


def test_every_step_is_labelled_where_the_project_wants_it(ana: Program, make_project: Callable[..., Project]) -> None:
    make_project(1, every_step=True)
    slot = ana.post("projects/trial/claim/")["id"]
    steps = [{"position": 0, "value": 1}, {"position": 1, "value": -1}]
    assert ana.post(f"assignments/{slot}/submit/", 400, key=key(), **WRONG)["field"] == "step_labels"
    assert ana.post(f"assignments/{slot}/submit/", 201, key=key(), **WRONG, step_labels=steps)["step_labels"] == steps


def test_a_lost_lease_is_a_conflict(ana: Program, make_project: Callable[..., Project], annotators: list[User]) -> None:
    project = make_project(1, overlap=1)
    slot = ana.post("projects/trial/claim/")["id"]
    Assignment.objects.update(lease_ends_at=timezone.now() - timedelta(minutes=1))
    claim_next(annotators[1], project)
    assert "somebody else" in ana.post(f"assignments/{slot}/submit/", 409, key=key(), correct=True)["detail"]


def test_a_decided_item_is_a_conflict(ana: Program, project: Project) -> None:
    slot = ana.post("projects/trial/claim/")["id"]
    Solution.objects.update(settled_at=timezone.now())
    ana.post(f"assignments/{slot}/submit/", 409, key=key(), correct=True)


def test_nothing_open_says_why(ana: Program, make_project: Callable[..., Project], leading: Program) -> None:
    make_project(0)
    assert "Nothing has been imported" in ana.post("projects/trial/claim/", 409)["detail"]
    assert "not a member" in leading.post("projects/trial/claim/", 409)["detail"]


def test_no_slot_of_a_foreign_campaign_can_be_filled(make_user: Callable[..., User], project: Project) -> None:
    slot = Assignment.objects.filter(solution__problem__project=project)[0].pk
    Program(make_user("nora")).post(f"assignments/{slot}/submit/", 404, key=key(), correct=True)
    Program(make_user("lars", "lead")).post(f"assignments/{slot}/submit/", 409, key=key(), correct=True)
    assert not Annotation.objects.exists()


def test_a_revision_is_a_further_row_of_the_same_label(ana: Program, project: Project) -> None:
    slot = ana.post("projects/trial/claim/")["id"]
    ana.post(f"assignments/{slot}/revise/", 404, key=key(), **WRONG)  # nothing to revise yet
    ana.post(f"assignments/{slot}/submit/", 201, key=key(), correct=True)
    assert ana.post(f"assignments/{slot}/revise/", 201, key=key(), **WRONG)["revision"] == 2
    own = ana.get("annotations/")
    assert [(row["revision"], row["correct"]) for row in own["results"]] == [(2, False), (1, True)]
    Solution.objects.update(settled_at=timezone.now())
    ana.post(f"assignments/{slot}/revise/", 409, key=key(), correct=True)


def test_own_labels_are_listed_and_nobody_elses(
    ana: Program, annotators: list[User], make_project: Callable[..., Project]
) -> None:
    here, there = make_project(2), make_project(2, slug="other")
    for annotator in annotators[:2]:
        say(solutions_of(here)[0], annotator, RIGHT)
        say(solutions_of(there)[1], annotator, wrong(2))
    assert [row["project"] for row in ana.get("annotations/")["results"]] == ["other", "trial"]
    assert ana.get("annotations/?project=other")["results"][0]["first_error"] == 2
    assert ana.get(f"annotations/?item_id={solutions_of(here)[1].item_id}&project=trial")["count"] == 0


def test_an_item_is_skipped_reported_or_given_back(ana: Program, annotators: list[User], project: Project) -> None:
    first = ana.post("projects/trial/claim/")
    assert ana.post(f"assignments/{first['id']}/skip/", 400, reason=" ")["field"] == "reason"
    ana.post(f"assignments/{first['id']}/skip/", 204, reason="I know its author.")
    ana.post(f"assignments/{first['id']}/skip/", 404, reason="again")  # not held any more
    second = ana.post("projects/trial/claim/")
    assert second["solution"]["item_id"] != first["solution"]["item_id"]
    assert ana.post(f"assignments/{second['id']}/report/", 400, kind="odd", comment="The key is B.")["field"] == "kind"
    ana.post(f"assignments/{second['id']}/report/", 201, kind="wrong-key", comment="The key is B.")
    third = ana.post("projects/trial/claim/")
    assert third["solution"]["item_id"] not in (first["solution"]["item_id"], second["solution"]["item_id"])
    ana.post(f"assignments/{third['id']}/release/", 204)
    assert not Assignment.objects.filter(annotator=annotators[0]).exists()


# Long work


def test_a_job_is_watched_stopped_and_resumed(leading: Program, lead: User, project: Project) -> None:
    job = jobs.start(import_upload, project, lead, title="Importing", upload=0)
    assert [row["title"] for row in leading.get("projects/trial/jobs/")["results"]] == ["Importing"]
    assert leading.get(f"jobs/{job.pk}/")["state"] == "waiting"
    assert leading.post(f"jobs/{job.pk}/stop/")["state"] == "stopped"
    assert leading.post(f"jobs/{job.pk}/resume/")["state"] == "waiting"
    now = timezone.now()
    Job.objects.filter(pk=job.pk).update(started_at=now, finished_at=now)
    assert leading.post(f"jobs/{job.pk}/resume/")["state"] == "done"  # what is over stays as it is


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/api/token/", "/api/projects/"])
def test_json_that_is_nested_too_deeply_is_refused(lead: User, as_user: Callable[[User], Client], address: str) -> None:
    answer = as_user(lead).post(address, "[" * 100_000, content_type="application/json")
    assert (answer.status_code, answer.json()["detail"]) == (400, "The JSON is nested too deeply.")
