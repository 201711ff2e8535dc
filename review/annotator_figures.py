"""What the page of annotators and the page of confused steps show, as JSON values."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from review.counting import Answers, Value
from review.label_columns import Asked, LabelColumns, category, correctness, first_error
from review.pairwise import against_others, influence, pairs, step_confusion

ANNOTATOR_QUESTIONS = {"correctness": correctness, "first_error": first_error}


def annotator_figures(labels: LabelColumns) -> dict[str, Any]:
    """By question: annotators in pairs, against the majority of the others, and by their weight in alpha."""
    return {
        name: {
            "pairs": [pair.as_dict() for pair in pairs(answers)],
            "against_others": [
                asdict(each) | {"confusion": _cells(each.confusion)} for each in against_others(answers)
            ],
            "influence": [asdict(each) for each in influence(answers)],
        }
        for name, answers in ((name, asked(labels).answers) for name, asked in ANNOTATOR_QUESTIONS.items())
    }


def confusions(labels: LabelColumns) -> dict[str, Any]:
    """Which two values two annotators of the same unit gave how often: steps (null: no error) and categories."""
    steps, named = first_error(labels), category(labels)
    return {"first_error": _confusion(steps), "category": _confusion(named)}


def _confusion(asked: Asked) -> dict[str, Any]:
    answers: Answers = asked.answers
    return {"values": list(answers.values), "cells": _cells(step_confusion(answers))}


def _cells(counted: dict[tuple[Value, Value], int]) -> list[list[Any]]:
    return [[one, other, n] for (one, other), n in counted.items()]
