"""URLs of the calls of sign-in, passwords, second factor and API tokens."""

from django.urls import URLPattern, path

from annotation.api.accounts import api_tokens

urlpatterns: list[URLPattern] = [
    path("tokens/", api_tokens.Tokens.as_view(), name="api-tokens"),
    path("tokens/<uuid:public_id>/", api_tokens.OneToken.as_view(), name="api-token"),
]
