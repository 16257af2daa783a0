"""From "Submit" to typing in the next task: python -m benchmarks.time_to_type [--engine sqlite|postgresql] [--tasks 40]

A Chromium on this machine writes one task after another on the task page, in a project of 800-word sources with groups
of two. The site is served with its production settings, and a job worker runs beside. The time runs in the page: from
the click on "Submit" until the next task is painted and takes keys. After that a word is typed by the keyboard alone,
which must arrive in the summary. The first tasks warm up and are not counted. Target: 95 % within 150 ms.

Prints one line and one JSON line per engine. Exit status 1 if a word did not arrive or a summary was not stored.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.databases import SERVED, on_each, settle
from benchmarks.load import World, serving, spread, worker_beside

WARM_UP = 4
SUMMARY = "The night ferry left the harbour late, because a storm had closed the outer channel for hours."
WORD = "Fares "
WATCH = """() => {
    const root = document.querySelector("[data-task]");
    addEventListener("click", (event) => {
        if (event.target.closest("[data-submit]")) window.clickedAt = performance.now();
    }, true);
    new MutationObserver(() => {
        const summary = document.querySelector("#summary");
        if (!root.dataset.ready || !window.clickedAt || summary.disabled || summary.readOnly) return;
        const since = window.clickedAt;
        window.clickedAt = 0;
        requestAnimationFrame(() => setTimeout(() => (document.body.dataset.tookMs = performance.now() - since)));
    }).observe(root, {attributes: true, attributeFilter: ["data-ready"]});
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=["sqlite", "postgresql"])
    parser.add_argument("--tasks", type=int, default=40)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        sys.exit(measure(args.engine, args.tasks))
    on_each("benchmarks.time_to_type", args.engine, ["--tasks", str(args.tasks)], **SERVED)


def measure(engine: str, tasks: int) -> int:
    """In a process of its own, with the environment set; its exit status."""
    import django

    django.setup()
    from django.core.management import call_command

    from annotation.models import Annotation

    call_command("migrate", verbosity=0)
    world = World(max(200, 4 * tasks), [1])
    settle()
    session = world.sessions[world.newcomer]
    with serving() as (port, _server), worker_beside(True), open_page(f"http://127.0.0.1:{port}", session) as page:
        page.goto(f"http://127.0.0.1:{port}/p/{world.slug}/work/")
        page.locator("[data-action=next-task]").first.click()
        page.wait_for_selector("[data-task][data-ready]")
        page.evaluate(WATCH)
        took_ms = [write_task(page) for _task in range(WARM_UP + tasks)]
    n_stored = Annotation.objects.filter(project=world.project, assignment__isnull=False).count()
    figures = spread([ms / 1000 for ms in took_ms[WARM_UP:]])
    line = {
        "benchmark": "time_to_type",
        "engine": engine,
        "tasks": tasks,
        "load_average": os.getloadavg()[0],
        "click_to_type_ms": figures,
        "not_stored": len(took_ms) - n_stored,
    }
    print(f"{engine}: from Submit to typing {figures['p50']:.0f} ms, 95 % within {figures['p95']:.0f} ms")
    print(json.dumps(line), flush=True)
    return int(line["not_stored"] != 0)


@contextmanager
def open_page(base: str, session: str) -> Iterator[Any]:
    """A page of a Chromium that is signed in by a session cookie, `name=value`."""
    from playwright.sync_api import sync_playwright

    from tests.browser.finding import find_chromium

    path = find_chromium()
    if path is None:
        raise SystemExit("no Chromium was found; EPITOME_CHROMIUM names one")
    name, _, value = session.partition("=")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        context.add_cookies([{"name": name, "value": value, "url": base}])
        yield context.new_page()
        browser.close()


def write_task(page: Any) -> float:
    """Write and submit the task on the page, and type a word into the next one; milliseconds from the click until it
    took keys."""
    page.locator("#summary").fill(SUMMARY)
    page.locator(".turn-mark").nth(1).click()
    page.get_by_role("button", name="Continue to relevant segments").click()
    page.get_by_role("button", name="Confirm these segments").click()
    page.get_by_label("I have reviewed it").check()
    page.get_by_label("Title").fill("The late ferry")
    page.evaluate("delete document.body.dataset.tookMs")
    page.locator("[data-submit]").click()
    took_ms = page.wait_for_selector("body[data-took-ms]").get_attribute("data-took-ms")
    page.keyboard.press("e")  # to the summary
    page.keyboard.type(WORD)
    if page.locator("#summary").input_value() != WORD:
        raise SystemExit("what was typed did not arrive in the next summary")
    return float(took_ms)


if __name__ == "__main__":
    main()
