"""Runs a request once more whose database connection was lost, where running it twice is harmless.

PostgreSQL can end a connection in the middle of a request. Then a request that only reads is run again at once, and so
is a submit with an idempotency key, which is stored once however often it comes, and so is a claim, which answers with
the open task if there is one. Anything else is answered with 503: nobody knows whether its last statement was stored.
"""

import re
from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any

CONNECTION_LOST = "epitome.connection_lost"
"""Set in the WSGI environment by the error view, which alone knows what went wrong."""
SAFE_METHODS = ("GET", "HEAD")
KEYED_CALLS = re.compile(r"(/api/v1/assignments|/tasks)/[^/]+/submit/")
CLAIMS = re.compile(r"/api/v1/(projects/[^/]+/assignments|rounds/[^/]+/items)/claim/")
MAX_BODY = 2 * 1024 * 1024

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]


def repeat_after_lost_connection(application: Application) -> Application:
    """Wrap a WSGI application."""

    def run(environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        body = read_repeatable_body(environ)
        if body is None:
            return application(environ, start_response)
        first_environ = {**environ, "wsgi.input": BytesIO(body)}
        heads: list[tuple[Any, ...]] = []
        response = application(first_environ, lambda *head: heads.append(head))
        if CONNECTION_LOST not in first_environ:
            start_response(*heads[-1])
            return response
        close = getattr(response, "close", None)
        if close is not None:
            close()
        return application({**environ, "wsgi.input": BytesIO(body)}, start_response)

    return run


def read_repeatable_body(environ: Environ) -> bytes | None:
    """The body of a request that may run twice; None for any other, whose body is left unread."""
    if environ["REQUEST_METHOD"] in SAFE_METHODS:
        return b""
    path = environ.get("PATH_INFO", "")
    is_keyed = environ.get("HTTP_IDEMPOTENCY_KEY") and KEYED_CALLS.fullmatch(path)
    if not is_keyed and not (environ["REQUEST_METHOD"] == "POST" and CLAIMS.fullmatch(path)):
        return None
    length = environ.get("CONTENT_LENGTH") or "0"
    if not length.isdecimal() or int(length) > MAX_BODY:
        return None
    body: bytes = environ["wsgi.input"].read(int(length))
    return body
