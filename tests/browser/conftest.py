"""A real Chromium against the live server. Without one these tests are skipped, and say so."""

from collections.abc import Callable, Iterator

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import expect

from tests.browser.finding import find_chromium

DESK = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
PATIENCE = 30_000
"""Milliseconds: a bound for a machine that does much else. What comes sooner costs nothing."""
expect.set_options(timeout=PATIENCE)


def pytest_collection_modifyitems(items):
    for item in items:
        if "tests/browser" in str(item.path).replace("\\", "/"):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium() -> Iterator:
    path = find_chromium()
    if path is None:
        pytest.skip("NO BROWSER: the browser tests did not run. Install one: playwright install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
        plain = browser.new_context
        browser.new_context = lambda *args, **options: record_violations(plain(*args, **options))
        yield browser
        browser.close()


REPORT = """addEventListener("securitypolicyviolation", (seen) => {
  const place = `${seen.sourceFile}:${seen.lineNumber}`;
  console.error(`Content Security Policy: ${seen.effectiveDirective} refused ${seen.blockedURI} at ${place}`);
})"""
VIOLATIONS: list[str] = []
"""What the content policy refused, on any page of any test."""


def record_violations(context):
    """Every page that is ever opened in a context tells what the content policy refused it."""
    context.add_init_script(REPORT)
    context.on("console", lambda said: VIOLATIONS.append(said.text) if "Content Security Policy" in said.text else None)
    return context


@pytest.fixture(autouse=True)
def policy_holds() -> Iterator[list[str]]:
    VIOLATIONS.clear()
    yield VIOLATIONS
    fromkeys = list(dict.fromkeys(VIOLATIONS))
    assert not fromkeys, "\n".join(fromkeys)


def shows_text(locator, text: str) -> None:
    """Wait until this text is seen in the element; a page that a click asked for may still be on its way."""
    expect(locator).to_contain_text(text, use_inner_text=True)


class Faults(list):
    """What must not happen while a page is used: script errors, errors a script reports, server errors."""

    def watch(self, page) -> None:
        page.on("pageerror", lambda error: self.append(f"script error: {error}"))
        page.on("console", lambda said: self.append(said.text) if is_fault(said) else None)
        page.on("response", lambda r: self.append(f"{r.status} {r.url}") if r.status >= 500 else None)


def is_fault(said) -> bool:
    """A refused or failed request is no fault of a script: many tests ask for one."""
    return said.type == "error" and "Failed to load resource" not in said.text


class Calls(set):
    """Calls under way, so that no test ends in the middle of a write."""

    def watch(self, page) -> None:
        page.on("request", lambda call: self.add(call))
        page.on("requestfinished", lambda call: self.discard(call))
        page.on("requestfailed", lambda call: self.discard(call))

    def settle(self, contexts) -> None:
        for context in contexts:
            for page in context.pages:
                for _ in range(200):
                    if not self:
                        break
                    page.wait_for_timeout(25)
            context.set_offline(True)
            context.close()


@pytest.fixture
def open_page(chromium, live_server, transactional_db) -> Iterator[Callable]:
    """open_page(user, path, **context options) -> a page of that person, signed in; faults fail the test at its end."""
    contexts, faults, calls = [], Faults(), Calls()

    def open_it(user: User, path: str, *, watch: bool = True, context=None, **options):
        if context is None:
            context = chromium.new_context(**{"viewport": DESK, "locale": "en-GB", **options})
            contexts.append(context)
            client = Client()
            client.force_login(user)
            name = django_settings.SESSION_COOKIE_NAME
            context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": live_server.url}])
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        calls.watch(page)
        if watch:
            faults.watch(page)
        page.goto(live_server.url + path)
        return page

    yield open_it
    calls.settle(contexts)
    assert not faults, "\n".join(faults)
