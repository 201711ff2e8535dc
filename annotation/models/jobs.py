"""Long work started from a page or the API, and the files it works on."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation.models.problems import Project

SILENCE_MEANS_DEAD = timedelta(minutes=2)


class JobState(models.TextChoices):
    WAITING = "waiting", _("Waiting for a worker")
    RUNNING = "running", _("Running")
    STOPPED = "stopped", _("Stopped")
    INTERRUPTED = "interrupted", _("Interrupted")
    FAILED = "failed", _("Failed")
    DONE = "done", _("Done")


class Upload(models.Model):
    """A file somebody sent, kept in the database so that any worker on any machine can read it."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="uploads")
    name = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    content = models.BinaryField()
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    uploaded_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.name


class Job(models.Model):
    """Facts of one piece of long work; its state is read off them."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=100)  # dotted path of the task that does it
    arguments = models.JSONField(default=dict)
    started_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    beat_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    stop_wanted_at = models.DateTimeField(null=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)
    result = models.JSONField(default=dict)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"

    @property
    def state(self) -> JobState:
        """Where the work stands, from its dates and its last sign of life."""
        if self.finished_at:
            return JobState.FAILED if self.error else JobState.STOPPED if self.stop_wanted_at else JobState.DONE
        if self.started_at is None:
            return JobState.WAITING
        silent = timezone.now() - (self.beat_at or self.started_at) > SILENCE_MEANS_DEAD
        return JobState.INTERRUPTED if silent else JobState.RUNNING

    @property
    def expected_end(self) -> datetime | None:
        """When it will be done at the pace so far; None before a hundredth is done: there is no pace to go by."""
        if self.state != JobState.RUNNING or not (self.started_at and self.beat_at and self.done):
            return None
        if 100 * self.done < self.total:
            return None
        return self.started_at + (self.beat_at - self.started_at) * (self.total / self.done)

    @property
    def can_resume(self) -> bool:
        """Whether starting it again makes sense: what is done already is not done twice."""
        return self.state in (JobState.STOPPED, JobState.INTERRUPTED, JobState.FAILED)

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen by itself."""
        return self.state not in (JobState.WAITING, JobState.RUNNING)
