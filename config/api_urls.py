"""All addresses of the API."""

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView

from annotation.api.nowhere import Nowhere
from review.api.talk import Mentions

urlpatterns = [
    # The document holds no data, and tells how to log in: everybody may read it.
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("", include("annotation.api.urls")),
    path("mentions/", Mentions.as_view(), name="api-mentions"),
    path("projects/<slug:slug>/", include("review.api.urls")),
    path("projects/<slug:slug>/releases/", include("exports.api.urls")),
    path("<path:rest>/", Nowhere.as_view(), name="api-nowhere"),
]
