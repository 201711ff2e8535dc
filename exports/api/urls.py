"""Addresses of the endpoints of releases and judges."""

from django.urls import path

from exports.api import checking, comparing, judges, releases, running

urlpatterns = [
    path("", releases.Releases.as_view(), name="api-releases"),
    path("<str:version>/", releases.OneRelease.as_view(), name="api-release"),
    path("<str:version>/verify/", releases.Verify.as_view(), name="api-verify"),
    path("<str:version>/manifest/", releases.Manifest.as_view(), name="api-manifest"),
    path("<str:version>/items/", releases.Items.as_view(), name="api-items"),
    path("<str:version>/files/<str:name>/", releases.OneFile.as_view(), name="api-file"),
    path("<str:version>/folder/", releases.Folder.as_view(), name="api-folder"),
    path("<str:version>/formats/", releases.Formats.as_view(), name="api-formats"),
    path("<str:version>/formats/<str:name>/", releases.InFormat.as_view(), name="api-format"),
    path("<str:version>/runs/", judges.Runs.as_view(), name="api-runs"),
    path("<str:version>/runs/<int:pk>/", judges.OneRun.as_view(), name="api-run"),
    path("<str:version>/runs/<int:pk>/answers/", judges.RunAnswers.as_view(), name="api-run-answers"),
    path("<str:version>/runs/<int:pk>/verdicts/", judges.Verdicts.as_view(), name="api-verdicts"),
    path("<str:version>/runs/<int:pk>/verdicts/<slug:item_id>/tags/", running.Tags.as_view(), name="api-tags"),
    path("<str:version>/runs/<int:pk>/verdicts/<slug:item_id>/doubt/", running.Doubt.as_view(), name="api-doubt"),
    path("<str:version>/runs/<int:pk>/checks/", checking.Checks.as_view(), name="api-checks"),
    path("<str:version>/runs/<int:pk>/checks/items/<int:check_pk>/", checking.Check.as_view(), name="api-check"),
    path("<str:version>/runs/<int:pk>/correct/", checking.Correct.as_view(), name="api-correct"),
    path("<str:version>/models/", running.RunModel.as_view(), name="api-run-model"),
    path("<str:version>/comparisons/", comparing.Comparisons.as_view(), name="api-comparisons"),
    path("<str:version>/comparisons/<int:pk>/", comparing.OneComparison.as_view(), name="api-comparison"),
    path("<str:version>/comparisons/<int:pk>/items/", comparing.Flipped.as_view(), name="api-flipped"),
]
