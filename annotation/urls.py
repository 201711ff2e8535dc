"""Addresses of labelling and of setting up."""

from django.urls import path

from annotation.views import labelling, people, projects, work

urlpatterns = [
    path("", projects.home, name="home"),
    path("projects/new/", projects.new_project, name="new-project"),
    path("p/<slug:slug>/label/", labelling.label, name="label"),
    path("p/<slug:slug>/settings/", projects.settings, name="settings"),
    path("jobs/<int:pk>/", work.job, name="job"),
    path("jobs/<int:pk>/stop/", work.stop_job, name="stop-job"),
    path("jobs/<int:pk>/resume/", work.resume_job, name="resume-job"),
    path("people/", people.people, name="people"),
    path("people/<int:pk>/", people.account, name="account"),
]
