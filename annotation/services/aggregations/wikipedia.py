"""Backgrounds from Wikipedia: the first paragraph of an article by the summary endpoint, one call per name, on command.

Nothing here runs in a web request. The host is fixed by a setting; a redirect to another host is refused.
"""

import json
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from annotation.jobs import NoProgress, Progress
from annotation.models import BackgroundOrigin, BackgroundState, EntityBackground, Project
from annotation.services.aggregations.backgrounds import fill_backgrounds
from annotation.services.core.errors import Conflict
from annotation.transactions import write_transaction
from epitome.aggregations.backgrounds import Background, cut_background, is_web_address

TIMEOUT = 15
MOST_BYTES = 2_000_000
MOST_FAILURES = 5
AGENT = "Epitome (dataset annotation; https://meta.wikimedia.org/wiki/User-Agent_policy)"


@dataclass(frozen=True)
class Lookup:
    """What the endpoint says of one title."""

    state: BackgroundState
    title: str = ""
    url: str = ""
    extract: str = ""


class LookupFailed(Exception):
    """The endpoint did not answer as it should; another try may help."""


class _SameHost(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, request: Any, body: Any, code: int, message: str, headers: Any, target: str) -> Any:
        if urlsplit(target)[:2] != urlsplit(request.full_url)[:2]:
            raise LookupFailed(f"redirect to another host: {target[:100]}")
        return super().redirect_request(request, body, code, message, headers, target)


def look_up_backgrounds(*, project: Project, progress: Progress | None = None) -> dict[str, int]:
    """Look up every name without a background that was not looked up yet; returns looked_up, found, ambiguous, missing
    and failed. Each answer is stored at once, so that no name is asked for twice.

    Raises Conflict when five calls in a row fail.
    """
    progress = progress or NoProgress()
    rows = list(EntityBackground.objects.filter(project=project, origin="").to_do().order_by("name"))
    counts = {"looked_up": 0, "found": 0, "ambiguous": 0, "missing": 0, "failed": 0}
    progress.set(0, len(rows))
    failures = 0
    for row in rows:
        progress.check()
        try:
            answer = look_up(row.title or row.name)
        except LookupFailed as error:
            counts["failed"] += 1
            failures += 1
            if failures == MOST_FAILURES:
                message = _("Wikipedia does not answer: %(why)s. What was looked up is stored.")
                raise Conflict(message % {"why": str(error)[:200]}) from error
            continue
        failures = 0
        _store_answer(project, row, answer)
        counts["looked_up"] += 1
        counts[answer.state.value] += 1
        progress.advance()
    return counts


def _store_answer(project: Project, row: EntityBackground, answer: Lookup) -> None:
    text, tokens = cut_background(answer.extract)
    if answer.state == BackgroundState.FOUND:
        background = Background(row.name, answer.title, answer.url, text, tokens)
        fill_backgrounds(project=project, given={row.name: background}, by=None, origin=BackgroundOrigin.WIKIPEDIA)
        return
    with write_transaction():
        EntityBackground.objects.filter(pk=row.pk, origin="").update(
            state=answer.state, origin=BackgroundOrigin.WIKIPEDIA, url=answer.url
        )


def look_up(title: str) -> Lookup:
    """The summary of the article of this title. Raises LookupFailed."""
    address = f"{settings.EPITOME_WIKIPEDIA}/api/rest_v1/page/summary/{quote(title.replace(' ', '_'), safe='')}"
    request = urllib.request.Request(address, headers={"User-Agent": AGENT, "Accept": "application/json"})  # noqa: S310
    try:
        with urllib.request.build_opener(_SameHost).open(request, timeout=TIMEOUT) as answer:
            return _read_summary(json.loads(answer.read(MOST_BYTES)))
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return Lookup(BackgroundState.MISSING)
        raise LookupFailed(f"HTTP {error.code}") from error
    except (OSError, ValueError) as error:
        raise LookupFailed(str(error) or type(error).__name__) from error


def _read_summary(row: Any) -> Lookup:
    if not isinstance(row, dict):
        raise LookupFailed("the answer is no object")
    url = row.get("content_urls", {}).get("desktop", {}).get("page", "") if row.get("content_urls") else ""
    url = url if isinstance(url, str) and is_web_address(url) and len(url) <= 1000 else ""
    if row.get("type") == "disambiguation":
        return Lookup(BackgroundState.AMBIGUOUS, url=url)
    extract, title = row.get("extract"), row.get("title")
    if not isinstance(extract, str) or not extract.strip():
        return Lookup(BackgroundState.MISSING, url=url)
    return Lookup(BackgroundState.FOUND, title[:300] if isinstance(title, str) else "", url, extract)
