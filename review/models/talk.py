"""Discussion of items and of guideline clauses."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models import Project, Solution


class Comment(models.Model):
    """One contribution about an item, or about a clause of the guideline."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="comments")
    solution = models.ForeignKey(Solution, models.CASCADE, null=True, related_name="comments")
    clause = models.CharField(max_length=120, blank=True)
    text = models.TextField(_("comment"))
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(solution__isnull=False) | ~models.Q(clause=""), name="comment_about_something"
            )
        ]

    def __str__(self) -> str:
        return self.text[:60]


class Mention(models.Model):
    """Somebody was named in a comment."""

    comment = models.ForeignKey(Comment, models.CASCADE, related_name="mentions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="mentions")
    seen_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["comment", "user"], name="mention_once")]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.comment_id}"
