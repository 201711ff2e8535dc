"""Accounts, for administrators."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation.access import admins_only
from annotation.forms import AccountChangeForm, AccountForm
from annotation.models import User


@admins_only
@require_http_methods(["GET", "POST"])
def people(request: HttpRequest) -> HttpResponse:
    """List the accounts; a post makes one."""
    form = AccountForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        user = form.save()
        messages.success(request, _("%s can log in now.") % user.get_username())
        return redirect("people")
    page = Paginator(User.objects.order_by("username"), 50).get_page(request.GET.get("page"))
    context = {"form": form, "page_obj": page, "here": "people"}
    return render(request, "annotation/people.html", context, status=422 if form.errors else 200)


@admins_only
@require_http_methods(["GET", "POST"])
def account(request: HttpRequest, pk: int) -> HttpResponse:
    """Change one account."""
    user = get_object_or_404(User, pk=pk)
    form = AccountChangeForm(request.POST or None, instance=user)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, _("Saved."))
        return redirect("people")
    context = {"form": form, "account": user, "here": "people"}
    return render(request, "annotation/account.html", context, status=422 if form.errors else 200)
