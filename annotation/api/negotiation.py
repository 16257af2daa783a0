"""Which form an answer takes: always JSON, whatever the Accept header wishes."""

from typing import Any

from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer


class AlwaysAnswers(DefaultContentNegotiation):
    """A wish that cannot be met gets the usual form instead of a refusal: the answer names its type anyway."""

    def select_renderer(
        self, request: Any, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        try:
            renderer_and_type: tuple[BaseRenderer, str] = super().select_renderer(request, renderers, format_suffix)
        except NotAcceptable:
            return renderers[0], renderers[0].media_type
        return renderer_and_type
