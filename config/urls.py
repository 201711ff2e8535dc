"""All addresses."""

from django.contrib.auth.views import LoginView
from django.urls import include, path

from annotation.views.sessions import LogOut

handler500 = "annotation.api.nowhere.server_error"
urlpatterns = [
    path("login/", LoginView.as_view(template_name="login.html", redirect_authenticated_user=True), name="login"),
    path("logout/", LogOut.as_view(), name="logout"),
    path("language/", include("django.conf.urls.i18n")),
    path("api/", include("config.api_urls")),
    path("", include("annotation.urls")),
    path("", include("review.urls")),
    path("", include("exports.urls")),
]
