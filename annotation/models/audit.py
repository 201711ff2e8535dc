"""Who did what when."""

from django.conf import settings
from django.db import models

from annotation.models.problems import Problem, Project, Solution


class Event(models.Model):
    """One act, written once by the rule that did it and never changed."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="events")
    problem = models.ForeignKey(Problem, models.CASCADE, null=True, related_name="events")
    solution = models.ForeignKey(Solution, models.CASCADE, null=True, related_name="events")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    act = models.CharField(max_length=40, db_index=True)
    detail = models.JSONField(default=dict)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.actor_id} {self.act}"
