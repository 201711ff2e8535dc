"""Adjudicating on pages: only what is disputed, readers without names, and two leads who meet."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Project, Solution, User
from review import pending
from review.adjudication import Decision, decide
from review.disagreements import current_labels
from review.models import Adjudication, Basis, Confirmation, Outcome, SampleLook
from tests.labels import RIGHT, say_all, wrong
from tests.pages import HTMX, fields, is_whole, text_in, words

AsUser = Callable[[User], Client]
QUEUE = reverse("adjudicate", args=["trial"])
NOTE = "Everybody overlooked the sign."


@pytest.fixture
def solutions(make_project: Callable[..., Project], annotators: list[User]) -> list[Solution]:
    """Two disputed, one agreed, one half done."""
    ana, ben, _chen = annotators
    return say_all(
        make_project(4),
        {
            0: {ana: RIGHT, ben: wrong(1, reason="Ben sees a lost sign.")},
            1: {ana: wrong(0), ben: wrong(2)},
            2: {ana: RIGHT, ben: RIGHT},
            3: {ana: RIGHT},
        },
    )


@pytest.fixture
def desk(solutions: list[Solution], lead: User, as_user: AsUser) -> Client:
    return as_user(lead)


def url_of(solution: Solution) -> str:
    return reverse("adjudicate-item", args=["trial", solution.pk])


def decision(client: Client, solution: Solution, **typed: str) -> dict[str, str]:
    """The form of an item, filled in."""
    blank = {"outcome": "gold", "correct": "", "first_error": "", "placement": "at", "rationale": ""}
    return blank | fields(client.get(url_of(solution))) | typed


def test_the_queue_holds_what_is_disputed_and_nothing_else(desk: Client, solutions: list[Solution]) -> None:
    page = desk.get(QUEUE)
    assert is_whole(page)
    assert "2 disputed items" in words(page)
    seen = {page.context["solution"].pk}
    seen.add(desk.get(QUEUE, {"after": page.context["solution"].pk}).context["solution"].pk)
    assert seen == {solutions[0].pk, solutions[1].pk}


def test_later_goes_round(desk: Client, solutions: list[Solution]) -> None:
    first = desk.get(QUEUE).context["solution"].pk
    second = desk.get(QUEUE, {"after": first}).context["solution"].pk
    assert desk.get(QUEUE, {"after": second}).context["solution"].pk == first
    assert desk.get(QUEUE, {"after": "nonsense"}).context["solution"].pk == first


def test_readers_have_numbers_and_no_names(desk: Client, solutions: list[Solution]) -> None:
    page = desk.get(url_of(solutions[0]))
    for text in ("Reader 1", "Reader 2", "Ben sees a lost sign."):
        assert text in words(page)
    told = page.content.decode().replace("Ben sees a lost sign.", "")
    for name in ("ana", "ben", "chen"):
        assert f">{name}<" not in told
        assert f" {name} " not in words(page).replace("Ben sees a lost sign.", "")


def test_adopting_fills_the_form_with_that_label(desk: Client, solutions: list[Solution]) -> None:
    bens = current_labels([solutions[0]])[solutions[0].pk][1]
    part = desk.get(url_of(solutions[0]), {"adopt": bens.pk}, headers=HTMX | {"HX-Target": "decision"})
    assert not is_whole(part)
    assert "Reader 1" not in words(part), "the form alone"
    assert text_in(part, "reason") == "Ben sees a lost sign."
    form = fields(part) | {"outcome": "gold", "correct": "false", "first_error": "1", "placement": "at"}
    form |= {"category": "logic", "reason": text_in(part, "reason"), "rectified": ""}
    assert desk.post(url_of(solutions[0]), form)["Location"].startswith(QUEUE)
    row = Adjudication.objects.get()
    assert (row.basis, row.adopted, row.verdict) == (Basis.ADOPTED, bens, bens.verdict)


def test_with_htmx_the_next_disputed_item_is_in_the_answer(desk: Client, solutions: list[Solution]) -> None:
    form = decision(desk, solutions[0], correct="true")
    answer = desk.post(url_of(solutions[0]), form, headers=HTMX, follow=True)
    assert answer.context["solution"] == solutions[1]
    assert Adjudication.objects.get().solution == solutions[0]


def test_when_all_is_decided_it_leads_on_to_the_consensus(desk: Client, solutions: list[Solution]) -> None:
    for solution in solutions[:2]:
        form = decision(desk, solution, correct="true", rationale=NOTE)
        answer = desk.post(url_of(solution), form, follow=True)
    assert "Nothing is disputed" in words(answer)
    assert "1 item on which all annotators agree waits" in words(answer)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"correct": ""}, "Say whether the solution is correct."),
        ({"correct": "false", "reason": "No sign."}, "first erroneous step"),
        ({"correct": "false", "first_error": "1"}, "Give the reason that goes into the release."),
        ({"correct": "false", "first_error": "9", "reason": "No sign."}, "Select a valid choice"),
        ({"correct": "false", "first_error": "0", "reason": "No sign."}, "You overrule every annotator: say why."),
        ({"outcome": "discarded"}, "Say why the solution is discarded."),
        ({"correct": "true", "adopted": "4711"}, "That label does not belong to this item."),
    ],
)
@pytest.mark.parametrize("headers", [{}, HTMX], ids=["plain", "htmx"])
def test_half_a_decision_comes_back_with_what_was_typed(
    desk: Client, solutions: list[Solution], typed: dict[str, str], said: str, headers: dict[str, str]
) -> None:
    answer = desk.post(url_of(solutions[0]), decision(desk, solutions[0], **typed), headers=headers)
    assert (answer.status_code, is_whole(answer)) == (422, not headers)
    assert said in words(answer)
    assert text_in(answer, "reason") == typed.get("reason", "")
    assert not Adjudication.objects.exists()


def test_overruling_everybody_with_a_note_is_a_leads_own_decision(desk: Client, solutions: list[Solution]) -> None:
    typed = {"correct": "false", "first_error": "0", "reason": "No sign.", "rationale": NOTE, "cause": "slip"}
    desk.post(url_of(solutions[0]), decision(desk, solutions[0], **typed))
    row = Adjudication.objects.get()
    assert (row.basis, row.first_error, row.rationale, row.cause) == (Basis.OWN, 0, NOTE, "slip")


@pytest.mark.parametrize(("outcome", "left"), [("discarded", 1), ("open", 2)])
def test_discarding_and_keeping_open_need_no_verdict(
    desk: Client, solutions: list[Solution], outcome: str, left: int
) -> None:
    form = decision(desk, solutions[0], outcome=outcome, rationale=NOTE)
    answer = desk.post(url_of(solutions[0]), form, follow=True)
    assert Adjudication.objects.get().outcome == outcome
    assert answer.context["left"] == left


def test_a_second_lead_is_told_of_the_first_ones_decision(
    desk: Client, solutions: list[Solution], make_user: Callable[..., User], as_user: AsUser
) -> None:
    other = as_user(make_user("otto", "lead"))
    form = decision(other, solutions[0], correct="false", first_error="1", reason="No sign.")
    desk.post(url_of(solutions[0]), decision(desk, solutions[0], correct="true"))
    answer = other.post(url_of(solutions[0]), form, headers=HTMX)
    assert answer.status_code == 422
    assert "Somebody else has decided this item" in words(answer)
    assert "by lena" in words(answer)
    assert text_in(answer, "reason") == "No sign."
    assert Adjudication.objects.count() == 1


def test_a_decided_item_shows_its_decision_and_can_be_decided_anew(
    desk: Client, solutions: list[Solution], lead: User
) -> None:
    first = decide(solutions[0], lead, Decision(Outcome.GOLD, RIGHT))
    page = desk.get(url_of(solutions[0]))
    assert "Decided before: Gold, by lena" in words(page)
    assert fields(page)["seen"] == str(first.pk)
    form = decision(desk, solutions[0], correct="false", first_error="1", reason="No sign.")
    desk.post(url_of(solutions[0]), form)
    assert Adjudication.objects.current().get().first_error == 1


def test_an_item_of_another_campaign_is_not_found(desk: Client, make_project: Callable[..., Project]) -> None:
    stranger = say_all(make_project(1, slug="other"), {})[0]
    assert desk.get(url_of(stranger)).status_code == 404
    assert desk.post(url_of(stranger), {"outcome": "gold", "correct": "true"}).status_code == 404


@pytest.mark.parametrize("rows", [1, 3])
def test_the_desk_takes_as_many_queries_for_one_label_as_for_many(
    make_project: Callable[..., Project], annotators: list[User], lead: User, as_user: AsUser,
    django_assert_num_queries: Any, rows: int,
) -> None:  # fmt: skip
    project = make_project(1, overlap=rows)
    (solution,) = say_all(project, {0: dict.fromkeys(annotators[:rows], RIGHT)})
    client = as_user(lead)
    pending.build(project)
    with django_assert_num_queries(21):
        client.get(url_of(solution))


# --- consensus ----------------------------------------------------------------------------------------------------

CONSENSUS = reverse("consensus", args=["trial"])


@pytest.fixture
def sample(make_project: Callable[..., Project], annotators: list[User], lead: User, as_user: AsUser) -> Client:
    """Three items on which two annotators agree; the lead has drawn the sample, which is all of them."""
    ana, ben, _chen = annotators
    said = {n: {ana: wrong(n, reason=f"Ana on {n}."), ben: wrong(n, reason=f"Ben on {n}.")} for n in range(3)}
    say_all(make_project(3), said)
    client = as_user(lead)
    assert "3 items wait for confirmation" in words(client.get(CONSENSUS))
    client.post(CONSENSUS)
    return client


def looks() -> list[SampleLook]:
    return list(Confirmation.objects.get().looks.order_by("pk"))


def look_url(look: SampleLook) -> str:
    return reverse("look", args=["trial", look.pk])


def test_the_sample_is_walked_one_by_one_and_then_confirmed(
    sample: Client, django_capture_on_commit_callbacks: Any
) -> None:
    first, second, third = looks()
    page = sample.get(look_url(first))
    for text in ("Sample, item 1 of 3", "Reader 1", "Ana on", "Ben on"):
        assert text in words(page)
    assert sample.post(look_url(first), {"finding": "agrees"})["Location"] == look_url(second)
    assert sample.post(look_url(second), {"finding": "doubts"})["Location"] == look_url(third)
    assert sample.post(look_url(third), {"finding": "agrees"})["Location"] == CONSENSUS
    assert "Confirm 2 items" in words(sample.get(CONSENSUS)), "the doubted one is left out"
    with django_capture_on_commit_callbacks(execute=True):
        job = sample.post(reverse("confirm", args=["trial"]))
    assert "Done" in words(sample.get(job["Location"]))
    outcomes = dict(Adjudication.objects.values_list("solution", "outcome"))
    assert outcomes == {first.solution_id: "gold", second.solution_id: "open", third.solution_id: "gold"}
    kept = words(sample.get(CONSENSUS))
    assert "1 of 3 doubted" in kept
    assert f"{second.solution.item_id} I doubt it" in kept
    confirmed = sample.get(reverse("items", args=["trial"]), {"confirmation": Confirmation.objects.get().pk})
    assert {row.pk for row in confirmed.context["page_obj"]} == {first.solution_id, third.solution_id}
    assert f"?confirmation={Confirmation.objects.get().pk}" in sample.get(CONSENSUS).content.decode()


def test_nothing_is_confirmed_before_the_sample_was_seen(
    sample: Client, django_capture_on_commit_callbacks: Any
) -> None:
    sample.post(look_url(looks()[0]), {"finding": "agrees"})
    with django_capture_on_commit_callbacks(execute=True):
        answer = sample.post(reverse("confirm", args=["trial"]), follow=True)
    assert "Look at every item of the sample first." in words(answer)
    assert not Adjudication.objects.exists()


def test_a_finding_that_is_none_is_not_recorded(sample: Client) -> None:
    answer = sample.post(look_url(looks()[0]), {"finding": "shrugs"})
    assert "Sample, item 1 of 3" in words(answer)
    assert looks()[0].finding == ""


def test_another_leads_sample_is_not_mine(sample: Client, make_user: Callable[..., User], as_user: AsUser) -> None:
    other = as_user(make_user("otto", "lead"))
    assert other.get(look_url(looks()[0])).status_code == 404
    assert other.post(reverse("confirm", args=["trial"])).status_code == 404


def test_an_item_that_waits_or_was_answered_says_so(desk: Client, solutions: list[Solution], as_user: AsUser) -> None:
    item = solutions[0]
    desk.post(reverse("return-item", args=["trial", item.pk]), {"question": "Is it allowed?"})
    assert "With its annotators: Is it allowed?" in words(desk.get(url_of(item)))
    for annotator in User.objects.filter(assignments__solution=item):
        as_user(annotator).post(reverse("talk", args=["trial", item.pk]), {"text": "It is."})
    assert "Answered by its annotators: Is it allowed?" in words(desk.get(url_of(item)))
    desk.post(reverse("ask-for-more", args=["trial", item.pk]))
    assert "One more label is asked for already." in words(desk.get(url_of(item)))
