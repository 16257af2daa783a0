"""Files are in English, whoever downloads them: the same data gives the same bytes."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.http import HttpRequest
from django.utils import translation

FILE_LANGUAGE = "en"
View = TypeVar("View", bound=Callable[..., Any])


def writes_file(view: View) -> View:
    """Mark a view, or a class of the API, that answers a file."""
    marked: Any = view
    marked.writes_file = True
    return view


class EnglishFiles:
    """The middleware that runs views marked by `writes_file` in English, with the bodies that they stream."""

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> Any:
        return self.get_response(request)

    def process_view(self, _request: HttpRequest, view: Any, *_args: Any) -> None:
        if getattr(getattr(view, "cls", view), "writes_file", False):
            translation.activate(FILE_LANGUAGE)  # until the next request of this thread chooses its own

    def process_exception(self, request: HttpRequest, _exception: Exception) -> None:
        """Instead of the file a page for people comes, which says why: in their language."""
        translation.activate(request.LANGUAGE_CODE)  # type: ignore[attr-defined]
