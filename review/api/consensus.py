"""What all annotators agree on: draw a sample, look at it, confirm the rest."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import person, project_for
from annotation.api.errors import Conflict, ErrorSerializer, refused_as
from annotation.api.jobs import JobSerializer, started
from annotation.models import Project
from annotation.permissions import LeadsOnly
from review import pending
from review.adjudication import SampleNotSeen, begin_confirmation, record_look
from review.api.shapes import ConfirmationSerializer, ConsensusSerializer, LookSerializer
from review.models import Confirmation, SampleLook
from review.tasks import start_confirmation

OPEN = Confirmation.objects.filter(confirmed_at=None).prefetch_related("looks__solution")


@extend_schema(tags=["adjudication"])
class Consensus(GenericAPIView[Confirmation]):
    """Consensus."""

    permission_classes = (LeadsOnly,)
    serializer_class = ConsensusSerializer
    queryset = Confirmation.objects.none()

    def get(self, request: Request, slug: str) -> Response:
        """How much is agreed on, and the sample you have drawn and not confirmed."""
        project = project_for(person(request), slug)
        row = OPEN.filter(project=project, lead=person(request)).first()
        agreed = pending.agreed(project).count()
        return Response(self.get_serializer({"agreed": agreed, "confirmation": row}).data)

    @extend_schema(request=None, responses={200: ConfirmationSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Draw the sample to look at, or get the one you have drawn."""
        project: Project = project_for(person(request), slug)
        row = begin_confirmation(project, person(request))
        return Response(ConfirmationSerializer(OPEN.get(pk=row.pk)).data)


@extend_schema(tags=["adjudication"])
class Look(GenericAPIView[SampleLook]):
    """Looking at the sample."""

    permission_classes = (LeadsOnly,)
    serializer_class = LookSerializer
    queryset = SampleLook.objects.none()

    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Note what you found when looking at one item of your sample."""
        mine = SampleLook.objects.filter(
            confirmation__project=project_for(person(request), slug), confirmation__lead=person(request),
            confirmation__confirmed_at=None,
        )  # fmt: skip
        row = get_object_or_404(mine.select_related("solution"), pk=pk)
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        record_look(row, SampleLook.Finding(serializer.validated_data["finding"]))
        return Response(self.get_serializer(row).data)


@extend_schema(tags=["adjudication"])
class Confirm(APIView):
    """Confirming."""

    permission_classes = (LeadsOnly,)

    @extend_schema(request=None, responses={202: JobSerializer, 409: ErrorSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Make gold of what all agree on, as a job. 409: the sample has not been looked at."""
        mine = Confirmation.objects.filter(project=project_for(person(request), slug), lead=person(request))
        row = get_object_or_404(mine.select_related("project"), confirmed_at=None)
        with refused_as(Conflict, SampleNotSeen):
            return started(start_confirmation(row, person(request)))
