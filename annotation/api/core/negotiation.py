"""Content negotiation: always JSON, whatever the Accept header asks for."""

from typing import Any

from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer


class AlwaysAnswers(DefaultContentNegotiation):
    """An Accept header that cannot be met gets the default renderer instead of 406; Content-Type names the type."""

    def select_renderer(
        self, request: Any, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        try:
            renderer_and_type: tuple[BaseRenderer, str] = super().select_renderer(request, renderers, format_suffix)
        except NotAcceptable:
            return renderers[0], renderers[0].media_type
        return renderer_and_type
