"""Over the API: seconding, sending items back, and talking about them; blind until one's label is in."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation import guidelines
from annotation.models import Assignment, Project, Solution, User
from review.models import Comment, Return
from tests.labels import RIGHT, say, say_all, solutions_of, wrong
from tests.programs import Program, items

HERE = "projects/trial"


@pytest.fixture
def leading(lead: User) -> Program:
    return Program(lead)


@pytest.fixture
def disputed(project: Project, annotators: list[User]) -> Solution:
    """The first solution: ana says wrong at the second step, ben says right."""
    ana, ben, _chen = annotators
    return say_all(project, {0: {ana: wrong(1, reason="One and one is two."), ben: RIGHT}})[0]


# Seconding


def test_a_lead_who_labelled_an_item_needs_another_lead(project: Project, lead: User, admin: User) -> None:
    project.members.add(lead)
    Project.objects.update(second_lead=True)
    solution = solutions_of(project)[0]
    say(solution, lead, RIGHT)
    leading, further = Program(lead), Program(admin)
    row = leading.post(f"{HERE}/adjudications/", 201, item_id=solution.item_id, correct=True, missing_labels=1)
    assert row["seconds_by"] is None
    assert items(further.get(f"{HERE}/adjudications/awaiting/")) == [solution.item_id]
    here = f"{HERE}/adjudications/{row['id']}/second/"
    assert "neither labelled nor decided" in leading.post(here, 409)["detail"]
    solution.refresh_from_db()
    assert solution.settled_at is None
    assert further.post(here)["seconds_by"] == "ada"
    solution.refresh_from_db()
    assert solution.settled_at is not None
    assert "replaced or seconded" in further.post(here, 409)["detail"]
    assert further.get(f"{HERE}/adjudications/awaiting/")["count"] == 0


# Sending back


def test_an_item_goes_back_with_a_question_and_is_taken_back(
    leading: Program, disputed: Solution, annotators: list[User]
) -> None:
    here = f"{HERE}/solutions/{disputed.item_id}/return/"
    row = leading.post(here, 201, question="Which line do you mean?")
    assert (row["item_id"], row["lead"], row["closed_at"]) == (disputed.item_id, "lena", None)
    assert leading.get(f"{HERE}/disputes/")["count"] == 0
    assert "with its annotators" in leading.post(here, 409, question="Again?")["detail"]
    assert items(Program(annotators[0]).get(f"{HERE}/returns/")) == [disputed.item_id]
    assert Program(annotators[2]).get(f"{HERE}/returns/")["count"] == 0, "chen has not labelled it"
    assert leading.post(f"{here}take-back/")["closed_at"]
    assert items(leading.get(f"{HERE}/disputes/")) == [disputed.item_id]
    leading.post(f"{here}take-back/", 404)


def test_a_question_has_words_and_an_undecided_item(leading: Program, disputed: Solution) -> None:
    here = f"{HERE}/solutions/{disputed.item_id}/return/"
    for sent in ({}, {"question": " "}):
        assert leading.post(here, 400, **sent)["field"] == "question"
    Solution.objects.update(settled_at=timezone.now() - timedelta(days=1))
    assert "is decided" in leading.post(here, 409, question="Why?")["detail"]
    assert not Return.objects.exists()


def test_one_more_blind_label_is_asked_for_once(leading: Program, disputed: Solution) -> None:
    here = f"{HERE}/solutions/{disputed.item_id}/more/"
    assert leading.post(here, 201) == {"wanted": 3}
    assert "asked for already" in leading.post(here, 409)["detail"]
    assert Assignment.objects.filter(solution=disputed, extra=True).count() == 1


# Talking


def test_annotators_talk_once_their_own_label_is_in(
    leading: Program, disputed: Solution, annotators: list[User]
) -> None:
    ana, chen = Program(annotators[0]), Program(annotators[2])
    here = f"{HERE}/solutions/{disputed.item_id}/discussion/"
    assert ana.post(here, 201, text="It is the second line, @lena.")["author"] == "ana"
    assert [row["text"] for row in leading.get(here)["results"]] == ["It is the second line, @lena."]
    for refused in (chen.get(here, 403), chen.post(here, 403, text="Which?")):
        assert "second line" not in str(refused)
    assert Comment.objects.count() == 1
    assert ana.post(here, 400, text=" ")["field"] == "text"


def test_who_is_named_is_told_until_they_have_read(
    leading: Program, disputed: Solution, annotators: list[User]
) -> None:
    here = f"{HERE}/solutions/{disputed.item_id}/discussion/"
    leading.post(here, 201, text="What do you say, @ana and @chen?")
    ana = Program(annotators[0])
    (told,) = ana.get("mentions/")["results"]
    assert (told["project"], told["item_id"], told["comment"]["author"]) == ("trial", disputed.item_id, "lena")
    assert Program(annotators[2]).get("mentions/")["count"] == 0, "chen may not see the discussion yet"
    ana.get(here)
    assert ana.get("mentions/")["count"] == 0


def test_a_clause_of_the_guideline_is_talked_about(leading: Program, project: Project, annotators: list[User]) -> None:
    lead = User.objects.get(username="lena")
    guidelines.publish(project, "# Units\nKeep them.\n# Rounding\nTo two places.", "First.", lead)
    ana, here = Program(annotators[0]), f"{HERE}/guideline/discussion/"
    ana.post(here, 201, text="Of what?", clause="Rounding")
    leading.post(here, 201, text="Also degrees.", clause="Units")
    assert [row["clause"] for row in ana.get(here)["results"]] == ["Units", "Rounding"]
    assert [row["text"] for row in ana.get(f"{here}?clause=Rounding")["results"]] == ["Of what?"]
    assert ana.post(here, 400, text="Hm.", clause="Colours")["field"] == "clause"
    assert ana.post(here, 400, text="Hm.")["field"] == "clause"
