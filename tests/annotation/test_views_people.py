"""Accounts, as administrators make and change them."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Role, User
from tests.pages import words

AsUser = Callable[[User], Client]
NEW = {
    "username": "dora", "role": Role.ANNOTATOR, "password1": "correct-horse-battery", "usable_password": "true",
    "password2": "correct-horse-battery", "first_name": "", "last_name": "", "email": "",
}  # fmt: skip


def test_an_administrator_makes_an_account_that_can_log_in(admin: User, as_user: AsUser, client: Client) -> None:
    answer = as_user(admin).post(reverse("people"), NEW, follow=True)
    assert "dora can log in now" in words(answer)
    assert client.login(username="dora", password=NEW["password1"])
    assert not User.objects.get(username="dora").leads


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"username": "ada"}, "already exists"),
        ({"password2": "another"}, "match"),
        ({"password1": "short", "password2": "short"}, "too short"),
        ({"role": "emperor"}, "valid choice"),
    ],
)
def test_an_account_with_faults_is_not_made(admin: User, as_user: AsUser, change: dict[str, str], said: str) -> None:
    answer = as_user(admin).post(reverse("people"), NEW | change)
    assert answer.status_code == 422
    assert said in words(answer)
    assert User.objects.count() == 1


def test_an_account_changes_its_role_and_is_shut(admin: User, lead: User, as_user: AsUser) -> None:
    url = reverse("account", args=[lead.pk])
    assert "lena" in words(as_user(admin).get(url))
    as_user(admin).post(url, {"role": Role.ANNOTATOR, "first_name": "Lena", "last_name": "", "email": ""})
    lead.refresh_from_db()
    assert (lead.role, lead.first_name, lead.is_active) == (Role.ANNOTATOR, "Lena", False)
    answer = as_user(admin).post(url, {"role": "emperor"})
    assert answer.status_code == 422


@pytest.mark.parametrize("rows", [1, 3])
def test_the_list_takes_as_many_queries_for_one_as_for_many(
    admin: User, make_user: Callable[..., User], as_user: AsUser, django_assert_num_queries: Any, rows: int
) -> None:
    for n in range(rows):
        make_user(f"person-{n}")
    client = as_user(admin)
    with django_assert_num_queries(5):
        answer = client.get(reverse("people"))
    assert f"person-{rows - 1}" in words(answer)
