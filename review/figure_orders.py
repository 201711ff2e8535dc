"""Having agreement figures computed by the workers: one refresh of a campaign at a time."""

from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from annotation.models import Project
from review.tasks import refresh_agreement

SILENCE_MEANS_DEAD = timedelta(minutes=5)


def order(project: Project, view: str = "") -> None:
    """Have a view computed unless a refresh of this campaign waits or runs: whoever shows it asks again."""
    if _under_way(project):
        return
    with transaction.atomic():
        # Two pages that ask in the same moment stand in line here, and the second finds the first one's order.
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        if not _under_way(project):
            refresh_agreement.enqueue(project.pk, view)


def _under_way(project: Project) -> bool:
    alive = Q(status="READY") | Q(status="RUNNING", started_at__gte=timezone.now() - SILENCE_MEANS_DEAD)
    mine = DBTaskResult.objects.filter(task_path=refresh_agreement.module_path, args_kwargs__args__0=project.pk)
    return mine.filter(alive).exists()
