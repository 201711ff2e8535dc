"""Addresses of the endpoints of leads."""

from django.urls import path

from review.api import agreement, consensus, deciding, intake, keys, rechecks, returning, seconding, talk

urlpatterns = [
    path("imports/", intake.Imports.as_view(), name="api-imports"),
    path("progress/", agreement.Progress.as_view(), name="api-progress"),
    path("agreement/", agreement.Agreement.as_view(), name="api-agreement"),
    path("agreement/items/", agreement.AgreementItems.as_view(), name="api-agreement-items"),
    path("disputes/", deciding.Disputes.as_view(), name="api-disputes"),
    path("solutions/<slug:item_id>/labels/", deciding.Said.as_view(), name="api-said"),
    path("adjudications/", deciding.Adjudications.as_view(), name="api-adjudications"),
    path("adjudications/awaiting/", seconding.AwaitingSecond.as_view(), name="api-awaiting-second"),
    path("adjudications/<int:pk>/second/", seconding.Second.as_view(), name="api-second"),
    path("returns/", returning.Returns.as_view(), name="api-returns"),
    path("solutions/<slug:item_id>/return/", returning.ReturnItem.as_view(), name="api-return"),
    path("solutions/<slug:item_id>/return/take-back/", returning.TakeBack.as_view(), name="api-take-back"),
    path("solutions/<slug:item_id>/more/", returning.AskForMore.as_view(), name="api-more"),
    path("solutions/<slug:item_id>/discussion/", talk.ItemTalk.as_view(), name="api-talk"),
    path("guideline/discussion/", talk.ClauseTalk.as_view(), name="api-clause-talk"),
    path("keys/", keys.Proposals.as_view(), name="api-keys"),
    path("keys/<int:pk>/decide/", keys.DecideKey.as_view(), name="api-decide-key"),
    path("problems/<int:pk>/key/", keys.Key.as_view(), name="api-key"),
    path("recheck/", rechecks.Recheck.as_view(), name="api-recheck"),
    path("recheck/items/", rechecks.Rechecked.as_view(), name="api-rechecked"),
    path("recheck/items/<int:pk>/", rechecks.RecheckOne.as_view(), name="api-recheck-item"),
    path("consensus/", consensus.Consensus.as_view(), name="api-consensus"),
    path("consensus/looks/<int:pk>/", consensus.Look.as_view(), name="api-look"),
    path("consensus/confirm/", consensus.Confirm.as_view(), name="api-confirm"),
]
