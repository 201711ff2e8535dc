"""Addresses of the endpoints of labelling and of setting up."""

from django.urls import path

from annotation.api import drafts, items, jobs, labelling, projects, tokens

urlpatterns = [
    path("token/", tokens.OwnToken.as_view(), name="api-token"),
    path("projects/", projects.Projects.as_view(), name="api-projects"),
    path("projects/<slug:slug>/", projects.OneProject.as_view(), name="api-project"),
    path("projects/<slug:slug>/guideline/", projects.GuidelineInForce.as_view(), name="api-guideline"),
    path("projects/<slug:slug>/guideline/acknowledge/", projects.Acknowledge.as_view(), name="api-acknowledge"),
    path("projects/<slug:slug>/problems/", items.Problems.as_view(), name="api-problems"),
    path("projects/<slug:slug>/problems/<int:pk>/", items.OneProblem.as_view(), name="api-problem"),
    path("projects/<slug:slug>/solutions/", items.Solutions.as_view(), name="api-solutions"),
    path("projects/<slug:slug>/solutions/<slug:item_id>/", items.OneSolution.as_view(), name="api-solution"),
    path("projects/<slug:slug>/claim/", labelling.Claim.as_view(), name="api-claim"),
    path("projects/<slug:slug>/jobs/", jobs.Jobs.as_view(), name="api-jobs"),
    path("assignments/<int:pk>/submit/", labelling.Submit.as_view(), name="api-submit"),
    path("assignments/<int:pk>/revise/", labelling.Revise.as_view(), name="api-revise"),
    path("assignments/<int:pk>/draft/", drafts.OwnDraft.as_view(), name="api-draft"),
    path("assignments/<int:pk>/skip/", labelling.Skip.as_view(), name="api-skip"),
    path("assignments/<int:pk>/report/", labelling.ReportItem.as_view(), name="api-report"),
    path("assignments/<int:pk>/release/", labelling.GiveBack.as_view(), name="api-give-back"),
    path("annotations/", labelling.OwnAnnotations.as_view(), name="api-annotations"),
    path("jobs/<int:pk>/", jobs.OneJob.as_view(), name="api-job"),
    path("jobs/<int:pk>/stop/", jobs.StopJob.as_view(), name="api-stop-job"),
    path("jobs/<int:pk>/resume/", jobs.ResumeJob.as_view(), name="api-resume-job"),
]
