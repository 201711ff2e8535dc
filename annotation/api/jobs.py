"""Long work: its progress, stopping and resuming it."""

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation import jobs
from annotation.access import person, project_for, visible_projects
from annotation.models import Job, JobState
from annotation.permissions import LeadsOnly

ROWS = Job.objects.select_related("project", "started_by")


class JobInListSerializer(serializers.ModelSerializer[Job]):
    """A piece of long work without its result, which can be long."""

    project = serializers.SlugField(source="project.slug")
    title = serializers.CharField(source="arguments.title", default="")
    state = serializers.ChoiceField(JobState.choices, read_only=True)
    started_by = serializers.CharField(source="started_by.username")
    can_resume = serializers.BooleanField(read_only=True)
    is_over = serializers.BooleanField(read_only=True)

    class Meta:
        model = Job
        fields = (
            "id", "project", "title", "state", "done", "total", "error", "can_resume", "is_over", "started_by",
            "created_at", "started_at", "finished_at",
        )  # fmt: skip


class JobSerializer(JobInListSerializer):
    """A piece of long work; `result` says what came of it once it is done."""

    class Meta(JobInListSerializer.Meta):
        fields = (*JobInListSerializer.Meta.fields, "result")  # type: ignore[assignment]


def started(job: Job) -> Response:
    """The answer to a request that has started long work."""
    job.refresh_from_db()
    return Response(JobSerializer(job).data, status=202)


@extend_schema(tags=["jobs"])
class Jobs(ListAPIView[Job]):
    """The long work of a campaign, newest first."""

    permission_classes = (LeadsOnly,)
    serializer_class = JobInListSerializer
    queryset = ROWS

    def get_queryset(self) -> QuerySet[Job]:
        """Those of one campaign."""
        rows = ROWS.defer("result").filter(project=project_for(person(self.request), self.kwargs["slug"]))
        return rows.order_by("-pk")


class JobView(APIView):
    """Something about one piece of long work."""

    permission_classes = (LeadsOnly,)

    def job(self, pk: int) -> Job:
        """The piece of work, if this person may see its campaign."""
        return get_object_or_404(ROWS.filter(project__in=visible_projects(person(self.request))), pk=pk)

    def shown(self, pk: int) -> Response:
        """How the work stands now."""
        return Response(JobSerializer(self.job(pk)).data)


@extend_schema(tags=["jobs"])
class OneJob(JobView):
    """One piece of long work."""

    @extend_schema(responses=JobSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """How far the work is."""
        return self.shown(pk)


@extend_schema(tags=["jobs"])
class StopJob(JobView):
    """Stopping."""

    @extend_schema(request=None, responses=JobSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Ask the work to stop at the next safe place; work that is over stays as it is."""
        jobs.stop(self.job(pk))
        return self.shown(pk)


@extend_schema(tags=["jobs"])
class ResumeJob(JobView):
    """Resuming."""

    @extend_schema(request=None, responses=JobSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Start stopped, failed or interrupted work again; other work is left alone."""
        jobs.resume(self.job(pk))
        return self.shown(pk)
