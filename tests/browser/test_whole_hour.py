"""The hour after the first summary: ten are written, two people rate them blind beside a system, and all goes out."""

import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet
import pytest

from annotation.models import Annotation, Job, Project, Role
from annotation.services.accounts.languages import choose_language
from annotation.services.tasks import assignments, choose, claim, submit
from evaluation.models import Judgement
from modelbridge.services.runs.system_processes import HOSTS
from tests.browser.conftest import DESK, PHONE
from tests.browser.test_publications import run_newest
from tests.browser.test_rounds import keys, rate_by_keyboard, ready
from tests.browser.test_runs import work_off
from tests.browser.walks import (
    Walk,
    admin,  # noqa: F401  a fixture
    draw,
    import_file,
    make_german_csv,
    make_workbook,
    make_zip_of_long_documents,
    write_first,
)
from tests.rounds.factories import member

WRITTEN = 10
RATED = 8
TEXT = "The council rebuilds the old bridge from April, and shopkeepers welcome the plan."
ROUND = "First round"
COUNT_LINES = """elements => elements.map((element) => {
  const range = document.createRange();
  range.selectNodeContents(element);
  return range.getClientRects().length;
})"""
MOST_CLICKS = 45
"""Of the person who leads the project: from the file to the archive."""


@pytest.fixture(autouse=True)
def _no_process_is_left():
    yield
    HOSTS.close()


@dataclass(frozen=True)
class Hour:
    """What somebody brings, and how they look at the pages."""

    make_file: Callable[[Path], Path]
    language: str = "en"
    size: dict[str, int] | None = None
    is_long: bool = False
    texts_in: str = ""


HOURS = {
    "excel with summaries": Hour(make_workbook),
    "German csv on a phone, in German": Hour(make_german_csv, "de", PHONE, texts_in="de"),
    "zip of long Word documents, in Chinese": Hour(make_zip_of_long_documents, "zh-hans", is_long=True),
}


def write_until(writer, n: int) -> None:
    """Tasks done as the page of each would, until `n` summaries are there."""
    while Annotation.objects.filter(assignment__isnull=False).count() < n:
        claimed = claim.claim_next(project=Project.objects.get(), annotator=writer).assignment
        task = assignments.get_own_assignment(writer, claimed.public_id)
        if task.group.frozen_at is None:
            chosen = {key: [{"text": "bridge", "candidate": None}] for key in task.group.asks}
            choose.save_choice(assignment=task, chosen=chosen)
            task = assignments.get_own_assignment(writer, task.public_id)
        done = {"spans": [], "confirmed_segments": True, "reread": True}
        payload = {"summary": TEXT, "title": "A bridge", "relevant_segments": [1], **done}
        submit.submit_task(assignment=task, payload=payload, idempotency_key=f"hour-{task.pk}")


def run_lead(walk: Walk) -> None:
    page = walk.page
    walk.press("link", "Results", exact=True)
    walk.press("link", "Systems", exact=True)
    walk.press("button", "Add %(name)s", name="Lead")
    walk.press("button", "verb|Run", exact=True)
    walk.wait_for("waiting")
    work_off()
    page.locator("a[download]").first.wait_for()  # the page saw by itself that the outputs are there


def launch_round(walk: Walk) -> None:
    """A yes/no round of what people wrote and what the system gave, four samples each."""
    page = walk.page
    walk.press("link", "Rounds", exact=True)
    walk.press("link", "New round", leads_to="**/rounds/new/**")
    page.locator("#design [name=name]").fill(ROUND)
    page.get_by_label(walk.say("revision %(n)d", n=1)).check()
    walk.n += 1
    page.locator("#design [name=n]").fill("30")
    walk.press("button", "Check design")
    page.locator(".with-remedy [name=use]").wait_for()  # fewer are written
    page.locator("#design [name=n]").fill(str(RATED // 2))
    walk.press("button", "Save draft")
    walk.click("summary.primary")
    walk.press("button", "Launch the round")
    page.locator("[name=do][value=close]").wait_for()


def rate(walk: Walk) -> int:
    """By keyboard at a desk, by touch on a phone; the number of items."""
    page = walk.page
    walk.press("link", "My rounds")
    walk.press("link", "Read the instructions")
    page.locator(".worked dd").first.wait_for()
    assert set(page.locator(".worked dd").evaluate_all(COUNT_LINES)) == {1}  # Yes and No, beside long questions
    walk.click("main [type=checkbox]")
    walk.press("button", "Confirm and continue")
    ready(page)
    return rate_by_touch(walk) if walk.is_on_a_phone else rate_by_keyboard(page, keys())


def rate_by_touch(walk: Walk) -> int:
    page, items = walk.page, 0
    while page.locator("[data-rate]").count():
        ready(page)
        for question in page.locator("[data-question]").all():
            question.locator("label:has([value=yes])").tap()
        with page.expect_navigation():
            walk.press("button", "Next", exact=True)
        items += 1
    return items


def unblind(walk: Walk) -> None:
    page = walk.page
    page.reload()
    walk.press("button", "Close", exact=True)
    walk.press("link", "Unblind ...")
    page.locator("main [name=name]").fill(ROUND)
    walk.press("button", "Unblind and show the report", leads_to="**/report/")
    run_newest(page)
    walk.look()


def publish(walk: Walk, base: str) -> Path:
    """A release, and its archive with card and datasheet."""
    page = walk.page
    page.goto(f"{base}/export/")
    page.locator("main [name=release]").fill("v1.0")
    walk.press("button", "Start export", leads_to="**/jobs/**")
    run_newest(page)
    page.goto(f"{base}/publish/")
    page.locator("main [name=tag]").fill("v1.0")
    walk.press("button", "Start publication")
    walk.press("button", "Check release")
    page.locator("[data-job]").wait_for()
    run_newest(page)
    page.locator("main [name=authors]").fill("The bridge team")
    walk.press("button", "Save description")
    walk.wait_for("Description saved.")
    walk.press("button", "Write archive")
    page.locator("[data-job]").wait_for()
    run_newest(page)
    with page.expect_download() as download:
        walk.press("link", "Download archive")
    return download.value.path()


@pytest.mark.parametrize("hour", HOURS.values(), ids=HOURS)
def test_an_own_file_becomes_a_report_and_a_publication(open_page, admin, tmp_path, hour):  # noqa: F811
    look = {"viewport": hour.size, "has_touch": True, "is_mobile": True} if hour.size else {"viewport": DESK}
    choose_language(admin, hour.language)
    walk = Walk(open_page(admin, "/", **look), hour.language)
    import_file(walk, hour.make_file(tmp_path), is_long=hour.is_long, language=hour.texts_in)
    draw(walk)
    write_first(walk)
    write_until(admin, WRITTEN)
    project = Project.objects.get()
    base = walk.page.url.partition("/tasks/")[0] + f"/p/{project.slug}"

    walk.page.goto(f"{base}/")
    run_lead(walk)
    raters = [member(project, name, Role.RATER) for name in ("rater1", "rater2")]
    launch_round(walk)
    for rater in raters:
        choose_language(rater, hour.language)
        rating = Walk(open_page(rater, "/", **look), hour.language)
        assert rate(rating) == RATED
        walk.faults += rating.faults
    unblind(walk)
    assert "lead" in walk.page.locator("main").inner_text().casefold()
    archive = publish(walk, base)

    assert {name for (name,) in Judgement.objects.values_list("rater__username")} == {"rater1", "rater2"}
    with zipfile.ZipFile(archive) as publication:
        assert "bridges-v1.0/README.md" in publication.namelist()
        table = pyarrow.parquet.read_table(io.BytesIO(publication.read("bridges-v1.0/data/summaries/train.parquet")))
    assert sum(TEXT in row.values() for row in table.to_pylist()) == WRITTEN - 1
    assert Job.objects.filter(state="failed").count() == 0
    assert not walk.faults, "\n".join(walk.faults)
    assert walk.n <= MOST_CLICKS, walk.n
