"""Addresses of labelling and of setting up."""

from django.urls import path

from annotation.views import beside, guide, guidelines, labelling, people, projects, revising, work

urlpatterns = [
    path("", projects.home, name="home"),
    path("projects/new/", projects.new_project, name="new-project"),
    path("p/<slug:slug>/label/", labelling.label, name="label"),
    path("p/<slug:slug>/label/<int:pk>/draft/", beside.save_draft, name="draft"),
    path("p/<slug:slug>/label/<int:pk>/lease/", beside.keep_lease, name="lease"),
    path("p/<slug:slug>/label/<int:pk>/skip/", beside.skip, name="skip"),
    path("p/<slug:slug>/label/<int:pk>/report/", beside.report, name="report"),
    path("p/<slug:slug>/label/<int:pk>/preview/", beside.preview, name="preview"),
    path("p/<slug:slug>/label/<int:pk>/raw/", beside.raw, name="raw"),
    path("p/<slug:slug>/revise/<int:pk>/", revising.revise_label, name="revise"),
    path("p/<slug:slug>/guideline/", guidelines.guideline, name="guideline"),
    path("p/<slug:slug>/guideline/read/", guidelines.acknowledge, name="acknowledge"),
    path("p/<slug:slug>/guideline/write/", guidelines.write_guideline, name="write-guideline"),
    path("p/<slug:slug>/settings/", projects.settings, name="settings"),
    path("jobs/<int:pk>/", work.job, name="job"),
    path("jobs/<int:pk>/stop/", work.stop_job, name="stop-job"),
    path("jobs/<int:pk>/resume/", work.resume_job, name="resume-job"),
    path("guide/annotators/", guide.annotators, name="guide"),
    path("people/", people.people, name="people"),
    path("people/<int:pk>/", people.account, name="account"),
]
