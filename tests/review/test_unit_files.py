"""Every figure on a page, computed again outside of Django from the units it hands out."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Annotation, Project, StepLabel, User
from annotation.projects import create_project
from config import example
from review import kept_figures, published
from review.models import ReasonPair
from tests.labels import say, solutions_of, wrong

AsUser = Callable[[User], Client]
Units = list[list[str]]


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_figures, "RESAMPLES", 50)


def downloaded(client: Client, slug: str, question: str, **query: str) -> tuple[list[dict[str, str]], Units]:
    """The units of a question as rows by column, and what was said of each."""
    response: Any = client.get(reverse("agreement-units", args=[slug]), {"question": question, **query})
    header, *rows = csv.reader(io.StringIO(response.getvalue().decode()))
    people = slice(4 if "places" in header else 3, header.index("labels"))
    return [dict(zip(header, row, strict=True)) for row in rows], [[x for x in row[people] if x] for row in rows]


def pairs(units: Units) -> list[list[tuple[str, str]]]:
    return [list(combinations(unit, 2)) for unit in units if len(unit) > 1]


def percent(units: Units, alike: Callable[[str, str], bool] = str.__eq__) -> float:
    return float(np.mean([np.mean([alike(*pair) for pair in of_unit]) for of_unit in pairs(units)]))


def pair_percent(units: Units, alike: Callable[[str, str], bool] = str.__eq__) -> float:
    return float(np.mean([alike(*pair) for of_unit in pairs(units) for pair in of_unit]))


def near(one: str, other: str) -> bool:
    return one == other or (one.isdecimal() and other.isdecimal() and abs(int(one) - int(other)) == 1)


def specific(units: Units, value: str) -> float:
    """2a / (2a + b + c), each unit's pairs counted both ways."""
    found = [pair for of_unit in pairs(units) for pair in of_unit if value in pair]
    both = 2 * sum(one == other for one, other in found)
    return both / (both + sum(one != other for one, other in found))


def alpha(units: Units, order: Callable[[str], float] | None = None) -> float:
    """By the `krippendorff` package, from a table of annotators x units."""
    values = sorted({x for unit in units for x in unit}, key=order or str)
    width = max(map(len, units))
    table = np.full((width, len(units)), np.nan)
    for column, unit in enumerate(units):
        table[: len(unit), column] = [values.index(x) for x in unit]
    return float(krippendorff.alpha(table, level_of_measurement="ordinal" if order else "nominal"))


def ac1(units: Units, n_values: int) -> float:
    values = {x for unit in units for x in unit}
    shares = [np.mean([unit.count(value) / len(unit) for unit in units]) for value in values]
    chance = sum(share * (1 - share) for share in shares) / (n_values - 1)
    return float((percent(units) - chance) / (1 - chance))


def brennan_prediger(rows: Sequence[dict[str, str]], units: Units) -> float:
    chance = np.mean([1 / int(row["places"]) for row, unit in zip(rows, units, strict=True) if len(unit) > 1])
    return float((percent(units) - chance) / (1 - chance))


def place(value: str) -> float:
    return float("inf") if value == "no error" else float(value)


def unanimous(units: Units) -> float:
    return float(np.mean([len(set(unit)) == 1 for unit in units if len(unit) > 1]))


def recomputed(client: Client, slug: str, question: str, **query: str) -> dict[str, float]:
    """All figures of a question from its file."""
    rows, units = downloaded(client, slug, question, **query)
    found: dict[str, float] = {"alpha": alpha(units)}
    if question in ("given_both_incorrect", "category"):
        found["percent"] = pair_percent(units)
    else:
        found |= {"percent": percent(units), "unanimous": unanimous(units)}
    if question == "given_both_incorrect":
        found["within_one"] = pair_percent(units, near)
    if question == "correctness":
        found |= {"ac1": ac1(units, 2), "positive": specific(units, "1"), "negative": specific(units, "0")}
    if question == "every_step":
        found["ac1"] = ac1(units, 3)
    if question == "first_error":
        found |= {
            "within_one": percent(units, near),
            "brennan_prediger": brennan_prediger(rows, units),
            "alpha_ordinal": alpha(units, place),
        }
    return found


def on_page(client: Client, slug: str, question: str, **query: str) -> dict[str, float]:
    page: Any = client.get(reverse("agreement", args=[slug]), query)
    (kept,) = [each for each in page.context["kept"] if each.value == query.get("part", "")]
    return {name: figure["value"] for name, figure in kept.report[question]["figures"].items()}


@pytest.fixture
def example_lead(db: None) -> User:
    people = example.make_accounts("a-password-for-tests")
    example.load(people)
    return people[example.LEAD]


def test_every_figure_of_the_example_can_be_computed_elsewhere(example_lead: User, as_user: AsUser) -> None:
    client = as_user(example_lead)
    for query in ({}, {"by": "subject", "part": "mathematics"}, {"by": "guideline", "part": ""}):
        for question in ("correctness", "first_error", "given_both_incorrect", "category"):
            shown = on_page(client, example.SLUG, question, **query)
            assert None not in shown.values()
            assert recomputed(client, example.SLUG, question, **query) == pytest.approx(shown), (question, query)


def test_the_coincidence_table_gives_alpha_too(example_lead: User, as_user: AsUser) -> None:
    client = as_user(example_lead)
    for question in ("correctness", "first_error", "given_both_incorrect", "category"):
        shown = on_page(client, example.SLUG, question)["alpha"]
        response: Any = client.get(reverse("agreement-coincidences", args=[example.SLUG]), {"question": question})
        rows = list(csv.reader(io.StringIO(response.getvalue().decode())))
        table = np.array([[float(x) for x in row[1:-1]] for row in rows[1:-1]])
        totals, n = table.sum(axis=0), table.sum()
        expected = (n**2 - (totals**2).sum()) / (n * (n - 1))
        assert 1 - (1 - np.trace(table) / n) / expected == pytest.approx(shown), question


def test_steps_and_reasons_can_be_computed_elsewhere(
    make_project: Callable[..., Project], annotators: list[User], lead: User, as_user: AsUser
) -> None:
    ana, ben, _chen = annotators
    project = make_project(4)
    for n, solution in enumerate(solutions_of(project)):
        labels = [say(solution, who, wrong(2)) for who in (ana, ben)]
        given = [(1, 0, -1), (1, 1, -1)] if n % 2 else [(1, 1, -1), (1, 1, 1)]
        for label, values in zip(labels, given, strict=True):
            StepLabel.objects.bulk_create(
                StepLabel(annotation=label, position=step, value=value) for step, value in enumerate(values)
            )
        ReasonPair.objects.create(first=labels[0], second=labels[1], lead_same=n > 0, hint_same=n % 2 == 1)
    project.every_step = True
    project.save()
    client = as_user(lead)
    shown = on_page(client, "trial", "every_step")
    # Of the twelve steps, four differ: the second of two solutions and the third of the other two.
    assert shown["percent"] == pytest.approx(8 / 12)
    assert recomputed(client, "trial", "every_step") == pytest.approx(shown)
    rows = downloaded_reasons(client)
    assert [(row["lead same"], row["hint same"]) for row in rows] == [("0", "0"), ("1", "1"), ("1", "0"), ("1", "1")]
    reasons = on_page(client, "trial", "reason")
    # Leads: three of four the same; hints: two; they agree on three. Chance .75 * .5 + .25 * .5 = .5, kappa .5.
    assert reasons == pytest.approx({"same_lead": 3 / 4, "same_hint": 1 / 2, "hint_agrees": 3 / 4, "hint_kappa": 0.5})


def downloaded_reasons(client: Client) -> list[dict[str, str]]:
    response: Any = client.get(reverse("agreement-units", args=["trial"]), {"question": "reason"})
    return list(csv.DictReader(io.StringIO(response.getvalue().decode())))


def test_units_of_a_large_file_come_in_pieces(
    example_lead: User, as_user: AsUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("review.csv_files.LINES_AT_ONCE", 10)
    response: Any = as_user(example_lead).get(
        reverse("agreement-units", args=[example.SLUG]), {"question": "correctness"}
    )  # fmt: skip
    assert response.streaming
    pieces = list(response.streaming_content)
    assert len(pieces) == 1 + (1 + Annotation.objects.values("assignment__solution").distinct().count()) // 10


def repeated(shared_data: Path) -> list[dict[str, Any]]:
    """Solutions of StepVerify that several teachers labelled, as lines of our own format."""
    rows = json_rows(shared_data / "stepverify" / "dataset.json")
    solutions: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in rows:
        solutions.setdefault((row["problem"], *row["student_incorrect_solution"]), []).append(row)
    problems: dict[str, int] = {}
    found: list[dict[str, Any]] = []
    for (problem, *steps), given in solutions.items():
        if len(given) < 2:
            continue
        number = problems.setdefault(problem, len(problems))
        labels = [
            {
                "annotator": f"teacher {n}", "correct": False, "first_error": row["incorrect_index"],
                "category": row["error_category"], "reason": row["error_description"] or "none given",
            }
            for n, row in enumerate(given, start=1)
        ]  # fmt: skip
        found.append(
            {
                "source": "stepverify", "external_id": str(number), "subject": "math", "question": problem,
                "sampled_from": f"student {len(found)}", "steps": steps, "labels": labels,
            }
        )  # fmt: skip
    return found


def json_rows(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return rows


def test_repeated_labels_of_stepverify_on_the_page(shared_data: Path, lead: User, as_user: AsUser) -> None:
    lines = repeated(shared_data)
    categories = sorted({label["category"] for line in lines for label in line["labels"]})
    project = create_project(Project(slug="steps", name="Steps", overlap=2, categories=categories), [])
    data = "\n".join(json.dumps(line) for line in lines).encode()
    report = published.import_file(
        project, published.read(data, "stepverify.jsonl", "stepmark"), lead, labels="annotations"
    )
    assert (report.solutions, report.labels, report.skipped) == (235, 625, 0)
    client = as_user(lead)
    joint, given = on_page(client, "steps", "first_error"), on_page(client, "steps", "given_both_incorrect")
    # Published beside the data: unanimous 52.8 %, pairs 60.1 %, within one 86.7 %, alpha .496.
    assert joint["unanimous"] == pytest.approx(0.528, abs=5e-4)
    assert joint["alpha"] == pytest.approx(0.496, abs=5e-4)
    assert given["percent"] == pytest.approx(0.601, abs=5e-4)
    assert given["within_one"] == pytest.approx(0.867, abs=5e-4)
    page = client.get(reverse("agreement", args=["steps"])).content.decode()
    for printed in (".528", ".496", ".601", ".867"):
        assert f">{printed}<" in page
    for question in ("first_error", "given_both_incorrect", "category"):
        shown = on_page(client, "steps", question)
        assert recomputed(client, "steps", question) == pytest.approx(shown), question
