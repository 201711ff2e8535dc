"""Every address × who asks × how: what is answered. A new address needs a row here."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client

from annotation.models import Project, User
from tests.addresses import World, addresses, logged_in, make_world

PEOPLE = ("visitor", "member", "other", "lead", "admin")
Statuses = tuple[int, int]  # of a GET, of an empty POST
Row = tuple[str, dict[str, Statuses]]  # the row of the world it is about, the statuses by person


def row(visitor: Statuses, member: Statuses, other: Statuses, lead: Statuses, admin: Statuses, pk: str = "") -> Row:
    return pk, {"visitor": visitor, "member": member, "other": other, "lead": lead, "admin": admin}


LOGIN, REFUSED, HIDDEN, UNKNOWN = (302, 302), (403, 403), (404, 404), (401, 401)


def stranger(get: int, post: int) -> Statuses:
    """What somebody gets who is no member: nothing is there, except that the address takes no such request at all."""
    return 405 if get == 405 else 404, 405 if post == 405 else 404


def leads_page(get: int, post: int, pk: str = "", admin: Statuses | None = None) -> Row:
    """A page refused to annotators. `admin`: where it belongs to one lead and an administrator is another."""
    return row(LOGIN, REFUSED, REFUSED, (get, post), admin or (get, post), pk)


def members_page(get: int, post: int, pk: str = "", lead: Statuses | None = None) -> Row:
    """A page of a campaign that does not exist for those who have nothing to do with it."""
    leads = lead or (get, post)
    return row(LOGIN, (get, post), stranger(get, post), leads, leads, pk)


def leads_api(get: int, post: int, pk: str = "", admin: Statuses | None = None) -> Row:
    """An endpoint refused to annotators."""
    return row(UNKNOWN, REFUSED, REFUSED, (get, post), admin or (get, post), pk)


def members_api(get: int, post: int, pk: str = "", lead: Statuses | None = None) -> Row:
    """An endpoint of a campaign that does not exist for those who have nothing to do with it."""
    leads = lead or (get, post)
    return row(UNKNOWN, (get, post), stranger(get, post), leads, leads, pk)


def everybody(get: int, post: int, visitor: Statuses) -> Row:
    """What does not depend on who asks, once they are logged in."""
    each = (get, post)
    return row(visitor, each, each, each, each)


P, A, R = "p/<slug:slug>/", "api/projects/<slug:slug>/", "p/<slug:slug>/releases/<str:version>/"
V = A + "releases/<str:version>/"
FOR_ADMINS = (LOGIN, REFUSED, REFUSED, REFUSED)
PAGES: dict[str, Row] = {
    "login/": everybody(302, 302, (200, 200)),
    "logout/": everybody(405, 302, (302, 302)),
    "language/setlang/": everybody(302, 302, (302, 302)),
    "": everybody(200, 405, LOGIN),
    "guide/annotators/": everybody(200, 405, LOGIN),
    "guide/leads/": everybody(200, 405, LOGIN),
    "guide/engineers/": everybody(200, 405, LOGIN),
    "mentions/": everybody(200, 405, LOGIN),
    "people/": row(*FOR_ADMINS, (200, 422)),
    "people/<int:pk>/": row(*FOR_ADMINS, (200, 422), "account"),
    "projects/new/": leads_page(200, 422),
    "jobs/<int:pk>/": leads_page(200, 405, "job"),
    "jobs/<int:pk>/stop/": leads_page(405, 302, "job"),
    "jobs/<int:pk>/resume/": leads_page(405, 302, "job"),
    P: members_page(200, 405),
    P + "label/": members_page(200, 404),
    P + "label/<int:pk>/draft/": members_page(405, 400, "slot", lead=(405, 403)),
    P + "label/<int:pk>/lease/": members_page(405, 200, "slot", lead=(405, 403)),
    P + "label/<int:pk>/skip/": members_page(200, 422, "slot", lead=REFUSED),
    P + "label/<int:pk>/report/": members_page(200, 422, "slot", lead=REFUSED),
    P + "label/<int:pk>/preview/": members_page(405, 200, "slot", lead=(405, 403)),
    P + "label/<int:pk>/raw/": members_page(200, 405, "slot", lead=(403, 405)),
    P + "revise/<int:pk>/": members_page(200, 422, "own label", lead=HIDDEN),
    P + "mine/": members_page(200, 405),
    P + "guideline/": members_page(200, 405),
    P + "guideline/read/": members_page(405, 404),
    P + "guideline/write/": leads_page(200, 422),
    P + "guideline/talk/": members_page(200, 422),
    P + "talk/<int:pk>/": row(LOGIN, REFUSED, HIDDEN, (200, 422), (200, 422), "solution"),
    P + "settings/": leads_page(200, 422),
    P + "reports/": leads_page(200, 405),
    P + "reports/<int:pk>/close/": leads_page(405, 302, "report"),
    P + "skips/<int:pk>/": leads_page(405, 302, "skip"),
    P + "items/": leads_page(200, 405),
    P + "items/<int:pk>/": leads_page(200, 405, "solution"),
    P + "import/": leads_page(200, 422),
    P + "import/<int:pk>/": leads_page(302, 302, "upload"),
    P + "import/report/<int:pk>/": leads_page(200, 405, "job"),
    P + "agreement/": leads_page(200, 405),
    P + "agreement/units.csv": leads_page(200, 405),
    P + "agreement/coincidences.csv": leads_page(200, 405),
    P + "agreement/tables/<str:name>.csv": leads_page(200, 405),
    P + "agreement/pictures/<str:name>.svg": leads_page(200, 405),
    P + "adjudicate/": leads_page(200, 422),
    P + "adjudicate/<int:pk>/": leads_page(200, 422, "dispute"),
    P + "adjudicate/<int:pk>/return/": leads_page(405, 302, "dispute"),
    P + "adjudicate/<int:pk>/take-back/": leads_page(405, 404, "dispute"),
    P + "adjudicate/<int:pk>/more/": leads_page(405, 302, "dispute"),
    P + "adjudicate/<int:pk>/second/": leads_page(405, 302, "dispute"),
    P + "adjudicate/<int:pk>/hint/": leads_page(405, 302, "dispute"),
    P + "adjudicate/<int:pk>/pair/": leads_page(405, 404, "dispute"),
    P + "causes/": leads_page(200, 405),
    P + "log/": leads_page(200, 405),
    P + "log.csv": leads_page(200, 405),
    P + "recheck/": leads_page(200, 422),
    P + "recheck/<int:pk>/": leads_page(200, 422, "recheck", admin=HIDDEN),
    P + "keys/": leads_page(200, 405),
    P + "keys/<int:pk>/decide/": leads_page(405, 302, "key"),
    P + "problems/<int:pk>/key/": leads_page(200, 422, "problem"),
    P + "consensus/": leads_page(200, 302),
    P + "consensus/confirm/": leads_page(405, 302, admin=(405, 404)),
    P + "consensus/look/<int:pk>/": leads_page(200, 200, "look", admin=HIDDEN),
    P + "releases/": leads_page(200, 422),
    R: leads_page(200, 405),
    R + "verify/": leads_page(405, 302),
    R + "folder.zip": leads_page(200, 405),
    R + "files/<str:name>": leads_page(200, 405),
    R + "as/<str:name>": leads_page(200, 405),
    R + "run/": leads_page(200, 422),
    R + "grade/": leads_page(302, 422),
    R + "runs/<int:pk>/": leads_page(200, 405, "run"),
    R + "runs/<int:pk>/items/": leads_page(200, 405, "run"),
    R + "runs/<int:pk>/answers.jsonl": leads_page(200, 405, "run"),
    R + "runs/<int:pk>/report.<str:name>": leads_page(200, 405, "run"),
    R + "runs/<int:pk>/plots/<str:name>.svg": leads_page(404, 405, "run"),
    R + "runs/<int:pk>/answers.csv": leads_page(200, 405, "run"),
    R + "runs/<int:pk>/tag/": leads_page(405, 404, "run"),
    R + "runs/<int:pk>/doubt/": leads_page(405, 404, "run"),
    R + "runs/<int:pk>/checks/": leads_page(200, 302, "run"),
    R + "runs/<int:pk>/checks/<int:check_pk>/": leads_page(200, 200, "run", admin=REFUSED),
    R + "runs/<int:pk>/correct/": leads_page(405, 302, "run"),
    R + "compare/": leads_page(200, 200),
    R + "compare/items/": leads_page(302, 405),
}
ENDPOINTS: dict[str, Row] = {
    "api/schema/": everybody(200, 405, (200, 405)),
    "api/token/": everybody(405, 400, (401, 400)),
    "api/<path:rest>/": everybody(404, 404, HIDDEN),
    "api/projects/": row(UNKNOWN, (200, 403), (200, 403), (200, 400), (200, 400)),
    "api/mentions/": everybody(200, 405, UNKNOWN),
    "api/annotations/": everybody(200, 405, UNKNOWN),
    "api/jobs/<int:pk>/": leads_api(200, 405, "job"),
    "api/jobs/<int:pk>/stop/": leads_api(405, 200, "job"),
    "api/jobs/<int:pk>/resume/": leads_api(405, 200, "job"),
    "api/assignments/<int:pk>/submit/": members_api(405, 400, "slot"),
    "api/assignments/<int:pk>/revise/": members_api(405, 400, "own label"),
    "api/assignments/<int:pk>/draft/": members_api(200, 400, "slot", lead=REFUSED),
    "api/assignments/<int:pk>/skip/": members_api(405, 400, "slot", lead=(405, 404)),
    "api/assignments/<int:pk>/report/": members_api(405, 400, "slot", lead=(405, 404)),
    "api/assignments/<int:pk>/release/": members_api(405, 204, "slot"),
    A: row(UNKNOWN, (200, 403), (404, 403), (200, 405), (200, 405)),
    A + "guideline/": row(UNKNOWN, (404, 403), (404, 403), (404, 400), (404, 400)),
    A + "guideline/acknowledge/": everybody(405, 400, UNKNOWN),
    A + "problems/": members_api(200, 405),
    A + "problems/<int:pk>/": members_api(200, 405, "problem"),
    A + "solutions/": members_api(200, 405),
    A + "solutions/<slug:item_id>/": members_api(200, 405),
    A + "claim/": members_api(405, 200, lead=(405, 409)),
    A + "progress/": members_api(200, 405),
    A + "jobs/": leads_api(200, 405),
    A + "imports/": leads_api(405, 415),
    A + "agreement/": leads_api(200, 405),
    A + "agreement/items/": leads_api(200, 405),
    A + "disputes/": leads_api(200, 405),
    A + "solutions/<slug:item_id>/labels/": leads_api(200, 405),
    A + "adjudications/": leads_api(200, 400),
    A + "adjudications/awaiting/": leads_api(200, 405),
    A + "adjudications/<int:pk>/second/": leads_api(405, 409, "decision"),
    A + "returns/": members_api(200, 405),
    A + "solutions/<slug:item_id>/return/": leads_api(405, 400),
    A + "solutions/<slug:item_id>/return/take-back/": leads_api(405, 404),
    A + "solutions/<slug:item_id>/more/": leads_api(405, 409),
    A + "solutions/<slug:item_id>/discussion/": row(UNKNOWN, (403, 400), HIDDEN, (200, 400), (200, 400)),
    A + "guideline/discussion/": members_api(200, 400),
    A + "keys/": leads_api(200, 405),
    A + "keys/<int:pk>/decide/": leads_api(405, 400, "key"),
    A + "problems/<int:pk>/key/": leads_api(200, 400, "problem"),
    A + "recheck/": leads_api(200, 409, admin=(200, 409)),
    A + "recheck/items/": leads_api(200, 405),
    A + "recheck/items/<int:pk>/": leads_api(200, 400, "recheck", admin=HIDDEN),
    A + "consensus/": leads_api(200, 200),
    A + "consensus/looks/<int:pk>/": leads_api(405, 400, "look", admin=(405, 404)),
    A + "consensus/confirm/": leads_api(405, 409, admin=(405, 404)),
    A + "releases/": leads_api(200, 400),
    V: leads_api(200, 405),
    V + "verify/": leads_api(405, 200),
    V + "manifest/": leads_api(200, 405),
    V + "items/": leads_api(200, 405),
    V + "files/<str:name>/": leads_api(200, 405),
    V + "folder/": leads_api(200, 405),
    V + "formats/": leads_api(200, 405),
    V + "formats/<str:name>/": leads_api(200, 405),
    V + "runs/": leads_api(200, 415),
    V + "runs/<int:pk>/": leads_api(200, 405, "run"),
    V + "runs/<int:pk>/answers/": leads_api(200, 405, "run"),
    V + "runs/<int:pk>/verdicts/": leads_api(200, 405, "run"),
    V + "runs/<int:pk>/verdicts/<slug:item_id>/tags/": leads_api(405, 404, "run"),
    V + "runs/<int:pk>/verdicts/<slug:item_id>/doubt/": leads_api(405, 404, "run"),
    V + "runs/<int:pk>/checks/": leads_api(200, 200, "run"),
    V + "runs/<int:pk>/checks/items/<int:check_pk>/": leads_api(200, 400, "run", admin=(403, 400)),
    V + "runs/<int:pk>/correct/": leads_api(405, 409, "run"),
    V + "models/": leads_api(405, 400),
    V + "comparisons/": leads_api(200, 400),
    V + "comparisons/<int:pk>/": leads_api(200, 405, "comparison"),
    V + "comparisons/<int:pk>/items/": leads_api(200, 405, "comparison"),
}
MATRIX = PAGES | ENDPOINTS


@pytest.fixture
def world(
    make_project: Callable[..., Project], annotators: list[User], make_user: Callable[..., User],
    django_capture_on_commit_callbacks: Any,
) -> World:  # fmt: skip
    return make_world(make_project, annotators, make_user, lambda: django_capture_on_commit_callbacks(execute=True))


def test_the_matrix_has_every_address_and_no_other() -> None:
    assert set(addresses()) == set(MATRIX)


def ask(client: Client, method: str, url: str) -> Any:
    """Open an address, or send it what a form or a program sends at least."""
    if method == "GET":
        return client.get(url)
    if url.startswith("/api/"):
        return client.post(url, {}, content_type="application/json")
    return client.post(url, {"csrfmiddlewaretoken": "of the form"})


@pytest.mark.parametrize("who", PEOPLE)
def test_every_address_answers_each_person_as_their_role_wants(world: World, who: str) -> None:
    wrong = []
    for route, (pk, expected) in MATRIX.items():
        url = world.filled(route, pk)
        for method, wanted in zip(("GET", "POST"), expected[who], strict=True):
            cache.clear()  # logins are counted there
            with transaction.atomic():
                response = ask(logged_in(world.people.get(who)), method, url)
                transaction.set_rollback(True)
            if response.status_code != wanted:
                wrong.append(f"{method} {url}: {response.status_code}, not {wanted}")
    assert not wrong, "\n" + "\n".join(wrong)


def test_a_visitor_is_sent_to_the_login_and_back(world: World) -> None:
    answer = logged_in(None).get(world.filled("p/<slug:slug>/items/"))
    assert answer["Location"] == "/login/?next=/p/trial/items/"
