"""Running a judge model from a page: an estimate first, then a job that can be stopped and resumed."""

import hashlib
import json
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation.access import in_project, leads_only, person
from exports.forms import RunForm
from exports.judge_runs import CannotRun
from exports.running import foreseen
from exports.tasks import start_run
from exports.views.releases import release_for


@leads_only
@require_http_methods(["GET", "POST"])
def run_judge(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Estimate a run, or start it; one that was changed since its estimate is estimated again."""
    release = release_for(person(request), slug, version)
    form = RunForm(request.POST or None, release=release)
    told = None
    if request.method == "POST" and form.is_valid():
        options = {name: value for name, value in form.cleaned_data.items() if name != "name"}
        try:
            told = foreseen(release, options)
        except CannotRun as error:
            form.add_error(None, str(error))
        else:
            told["of"] = _digest(options)
            if "estimate" not in request.POST and request.POST.get("estimated", told["of"]) == told["of"]:
                return redirect("job", start_run(release, person(request), form.cleaned_data["name"], options).pk)
    context = in_project(request, release.project, "releases") | {"release": release, "form": form, "foreseen": told}
    return render(request, "exports/run_judge.html", context, status=422 if form.errors else 200)


def _digest(options: dict[str, Any]) -> str:
    """Tells whether the options are those that were estimated."""
    return hashlib.sha256(json.dumps(options, sort_keys=True).encode()).hexdigest()
