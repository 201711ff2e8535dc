"""Proposals to change an answer key or a problem's standing."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models import Problem, Standing


class KeyProposal(models.Model):
    """A wanted change of a problem's accepted answers or standing, and what became of it."""

    problem = models.ForeignKey(Problem, models.CASCADE, related_name="key_proposals")
    accepted = models.JSONField(_("accepted answers"))  # list of texts
    standing = models.CharField(_("standing"), max_length=20, choices=Standing, default=Standing.USABLE)
    reason = models.TextField(_("reason"))
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField(auto_now_add=True)
    approved = models.BooleanField(null=True)  # null while it waits
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    note = models.TextField(_("note"), blank=True)
    reopened = models.PositiveIntegerField(default=0)  # how many decisions it reopened, when it was accepted

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["problem"], condition=models.Q(approved=None), name="key_proposal_open_once",
                violation_error_message=_("A proposal for this problem waits already."),
            )
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"{self.problem_id}: {self.accepted}"

    @property
    def before(self) -> list[str]:
        """The accepted answers in force when the change was proposed."""
        keys = [key for key in self.problem.answer_keys.all() if key.created_at <= self.proposed_at]
        return max(keys, key=lambda key: key.version).accepted if keys else []
