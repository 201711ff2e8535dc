"""Who works here."""

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils.translation import gettext_lazy as _


class Role(models.TextChoices):
    ANNOTATOR = "annotator", _("Annotator")
    LEAD = "lead", _("Lead")
    ADMIN = "admin", _("Administrator")


class User(AbstractUser):
    role = models.CharField(_("role"), max_length=10, choices=Role, default=Role.ANNOTATOR)

    class Meta(AbstractUser.Meta):
        constraints = [
            models.CheckConstraint(
                condition=models.Q(role__in=Role.values), name="user_role", violation_error_message=_("Unknown role.")
            )
        ]

    @property
    def leads(self) -> bool:
        """Whether this person may see everybody's labels, decide and release."""
        return self.is_superuser or self.role in (Role.LEAD, Role.ADMIN)

    @property
    def administers(self) -> bool:
        """Whether this person may manage accounts."""
        return self.is_superuser or self.role == Role.ADMIN
