"""Stored XSS: polyglots in every text field, every page opened in Chromium; nothing runs, nothing breaks.

The policy is off in these pages, so that escaping alone must hold.
"""

import json

import pytest

from annotation.models import SourceDocument, SourceText
from tests.browser import polyglots
from tests.pages.access_table import PAGES, addresses  # noqa: F401
from tests.pages.conftest import job, world  # noqa: F401

WITHOUT_A_PAGE = {
    "run-file",
    "run-state",
    "training-state",
    "round-judgements",
    "round-judges",
    "round-design",
    "round-report-file",
    "round-report-links",
    "rounds-together-file",
    "shared-report",
    "shared-report-file",
    "project-tables-file",
    "import-left-out",
    "provider-sign-in",
    "provider-answer",
    "sign-in-link",
}
WITHOUT_A_PAGE |= {
    "search",
    "jobs-latest",
    "theme",
    "job-download",
    "job-state",
    "jobs-ended",
    "statistics-file",
    "ledger-file",
    "password_reset_confirm",
}
"""Answers that are files, or lead elsewhere."""
STATE = """() => ({
  ran: window.xss ?? null,
  made: document.querySelectorAll("[data-xss]").length,
  frames: document.querySelectorAll("a[href^='javascript' i]").length,
  main: document.querySelectorAll("main").length,
  shown: document.documentElement.outerHTML.includes("data-xss"),
})"""


@pytest.fixture
def spoiled(world, addresses, transactional_db):  # noqa: F811
    """The world of the page tests, with polyglots wherever text is kept."""
    SourceDocument.objects.update(metadata_json=json.dumps({polyglots.SHORT: polyglots.POLYGLOT}))
    filled = polyglots.fill_text_fields()
    polyglots.spoil_sources(SourceText)
    assert polyglots.spoil_schema() >= 8
    assert len(filled) >= 20, filled
    return addresses


def pages_of(who: str) -> list[str]:
    return [
        name
        for name, (method, _what, may) in PAGES.items()
        if method == "get" and may and name not in WITHOUT_A_PAGE and (who in may and (who == "admin" or len(may) <= 2))
    ]


def test_no_text_runs_on_any_page(spoiled, world, open_page):  # noqa: F811
    wrong, number = {}, 0
    for who in ("admin", "annotator"):
        page = open_page(world.people[who], "/", bypass_csp=True)
        page.on("dialog", lambda dialog: wrong.setdefault("dialog", dialog.message))
        for name in pages_of(who):
            answer = page.goto(page.url.split("/", 3)[0] + "//" + page.url.split("/", 3)[2] + spoiled[name])
            state = page.evaluate(STATE)
            number += state["shown"]
            ok = answer.status == 200 and state["ran"] is None and not state["made"] and not state["frames"]
            if not ok or state["main"] != 1:
                wrong[who, name] = (answer.status, state)
    assert wrong == {}
    assert number >= 15


def test_the_check_goes_red(world, open_page):  # noqa: F811
    """What would happen where somebody forgot to escape: seen by the same look at the page."""
    page = open_page(world.people["admin"], "/", bypass_csp=True, watch=False)
    page.set_content(f"<main>{polyglots.POLYGLOT}</main>")
    page.wait_for_function("window.xss")

    assert page.evaluate(STATE)["made"] >= 2
