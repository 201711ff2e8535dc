"""Addresses of releases and judges."""

from django.urls import path

from exports.views import answers, checking, comparing, guide, judges, releases, running

urlpatterns = [
    path("guide/engineers/", guide.engineers, name="guide-engineers"),
    path("p/<slug:slug>/releases/", releases.releases, name="releases"),
    path("p/<slug:slug>/releases/<str:version>/", releases.release, name="release"),
    path("p/<slug:slug>/releases/<str:version>/verify/", releases.verify, name="verify-release"),
    path("p/<slug:slug>/releases/<str:version>/folder.zip", releases.download_folder, name="release-folder"),
    path("p/<slug:slug>/releases/<str:version>/files/<str:name>", releases.download_file, name="release-file"),
    path("p/<slug:slug>/releases/<str:version>/as/<str:name>", releases.download_format, name="release-format"),
    path("p/<slug:slug>/releases/<str:version>/grade/", judges.grade, name="grade"),
    path("p/<slug:slug>/releases/<str:version>/runs/<int:pk>/", judges.run, name="run"),
    path("p/<slug:slug>/releases/<str:version>/runs/<int:pk>/items/", answers.run_items, name="run-items"),
    path("p/<slug:slug>/releases/<str:version>/runs/<int:pk>/answers.jsonl", judges.run_answers, name="run-answers"),
    path("p/<slug:slug>/releases/<str:version>/runs/<int:pk>/report.<str:name>", judges.run_report, name="run-report"),
    path("p/<slug:slug>/releases/<str:version>/runs/<int:pk>/plots/<str:name>.svg", judges.run_plot, name="run-plot"),
    path("p/<slug:slug>/releases/<str:version>/run/", running.run_judge, name="run-judge"),
    path("p/<slug:slug>/releases/<str:version>/compare/", comparing.compare, name="compare"),
    path("p/<slug:slug>/releases/<str:version>/compare/items/", comparing.flipped, name="flipped"),
    path("p/<slug:slug>/releases/<str:version>/runs/<int:pk>/answers.csv", answers.run_csv, name="run-csv"),
    path("p/<slug:slug>/releases/<str:version>/runs/<int:pk>/tag/", answers.tag, name="tag"),
    path("p/<slug:slug>/releases/<str:version>/runs/<int:pk>/doubt/", answers.doubt, name="doubt"),
    path("p/<slug:slug>/releases/<str:version>/runs/<int:pk>/checks/", checking.checks, name="checks"),
    path("p/<slug:slug>/releases/<str:version>/runs/<int:pk>/checks/<int:check_pk>/", checking.check, name="check"),
    path("p/<slug:slug>/releases/<str:version>/runs/<int:pk>/correct/", checking.correct, name="correct"),
]
