"""A reader of Chinese gets pages that say so, down to the errors and the particulars in the log."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.test import Client

from annotation import audit
from annotation.models import Event, Project, User

CHINESE = {"accept-language": "zh-hans"}


@pytest.mark.parametrize(("address", "status"), [("/login/", 200), ("/no-such-page/", 404)])
def test_a_page_declares_the_language_it_is_in(client: Client, lead: User, address: str, status: int) -> None:
    if status == 404:
        client.force_login(lead)
    answer = client.get(address, headers=CHINESE)
    assert answer.status_code == status
    assert '<html lang="zh-hans">' in answer.content.decode()


def test_the_log_tells_particulars_in_words(as_user: Callable[[User], Client], lead: User, project: Project) -> None:
    audit.record(
        "decided", lead, project, outcome="gold", basis="own", correct=False, first_error=2, category="logic"
    )  # fmt: skip
    page = as_user(lead).get(f"/p/{project.slug}/log/", headers=CHINESE).content.decode()
    for said in ("结果：金标", "裁定依据：负责人自行裁定", "正确：否", "第一个错误步骤：第 3 步", "类别：逻辑错误"):
        assert said in page


@pytest.mark.parametrize(
    ("headers", "told"), [({"accept-language": "en-us"}, "7 Feb 2026, 14:05"), (CHINESE, "2026年2月7日 14:05")]
)
def test_dates_leave_no_doubt_about_day_and_month(
    as_user: Callable[[User], Client], lead: User, project: Project, headers: dict[str, str], told: str
) -> None:
    audit.record("policy-changed", lead, project, changed={})
    Event.objects.update(at=datetime(2026, 2, 7, 14, 5, tzinfo=UTC))
    assert told in as_user(lead).get(f"/p/{project.slug}/log/", headers=headers).content.decode()
