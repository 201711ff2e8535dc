"""Addresses of the endpoints of leads."""

from django.urls import path

from review.api import agreement, consensus, deciding, intake

urlpatterns = [
    path("imports/", intake.Imports.as_view(), name="api-imports"),
    path("progress/", agreement.Progress.as_view(), name="api-progress"),
    path("agreement/", agreement.Agreement.as_view(), name="api-agreement"),
    path("agreement/items/", agreement.AgreementItems.as_view(), name="api-agreement-items"),
    path("disputes/", deciding.Disputes.as_view(), name="api-disputes"),
    path("solutions/<slug:item_id>/labels/", deciding.Said.as_view(), name="api-said"),
    path("adjudications/", deciding.Adjudications.as_view(), name="api-adjudications"),
    path("consensus/", consensus.Consensus.as_view(), name="api-consensus"),
    path("consensus/looks/<int:pk>/", consensus.Look.as_view(), name="api-look"),
    path("consensus/confirm/", consensus.Confirm.as_view(), name="api-confirm"),
]
