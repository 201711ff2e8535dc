"""Addresses of review."""

from django.urls import path

from review.views import agreement, deciding, intake, mine, progress, reports

urlpatterns = [
    path("p/<slug:slug>/", progress.project, name="project"),
    path("p/<slug:slug>/mine/", mine.mine, name="mine"),
    path("p/<slug:slug>/reports/", reports.reports, name="reports"),
    path("p/<slug:slug>/reports/<int:pk>/close/", reports.close_report, name="close-report"),
    path("p/<slug:slug>/skips/<int:pk>/", reports.take_back, name="take-back-skip"),
    path("p/<slug:slug>/items/", progress.items, name="items"),
    path("p/<slug:slug>/items/<int:pk>/", progress.item, name="item"),
    path("p/<slug:slug>/import/", intake.send_file, name="import"),
    path("p/<slug:slug>/import/<int:pk>/", intake.preview, name="import-preview"),
    path("p/<slug:slug>/import/report/<int:pk>/", intake.report, name="import-report"),
    path("p/<slug:slug>/agreement/", agreement.agreement, name="agreement"),
    path("p/<slug:slug>/adjudicate/", deciding.adjudicate, name="adjudicate"),
    path("p/<slug:slug>/adjudicate/<int:pk>/", deciding.adjudicate, name="adjudicate-item"),
    path("p/<slug:slug>/consensus/", deciding.consensus, name="consensus"),
    path("p/<slug:slug>/consensus/confirm/", deciding.confirm, name="confirm"),
    path("p/<slug:slug>/consensus/look/<int:pk>/", deciding.look, name="look"),
]
