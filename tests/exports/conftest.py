"""A decided campaign and its release, for the tests of this floor."""

from collections.abc import Callable

import pytest

from annotation.models import Project, User
from exports.models import Release
from tests.exports.campaigns import Campaign, decided_campaign


@pytest.fixture
def campaign(make_project: Callable[..., Project], annotators: list[User], lead: User) -> Campaign:
    return decided_campaign(make_project, annotators, lead)


@pytest.fixture
def release(campaign: Campaign) -> Release:
    return campaign.freeze()
