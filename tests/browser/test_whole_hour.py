"""The hour after the first summary: ten are written, two people rate them blind beside a system, and all goes out."""

import io
import zipfile
from pathlib import Path

import pyarrow.parquet
import pytest

from annotation.models import Annotation, Job, Project, Role
from annotation.services.tasks import assignments, choose, claim, submit
from evaluation.models import Judgement
from modelbridge.services.runs.system_processes import HOSTS
from tests.browser.test_publications import run_newest
from tests.browser.test_rounds import keys, rate_by_keyboard, ready
from tests.browser.test_runs import add_and_run
from tests.browser.test_whole_path import Walk, admin, draw, import_file, make_workbook, write_first  # noqa: F401
from tests.rounds.factories import member

WRITTEN = 10
TEXT = "The council rebuilds the old bridge from April, and shopkeepers welcome the plan."
ROUND = "First round"


@pytest.fixture(autouse=True)
def _no_process_is_left():
    yield
    HOSTS.close()


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


def launch_round(page) -> None:
    """A yes/no round of what people wrote and what the system gave, four samples each."""
    page.get_by_role("link", name="Rounds", exact=True).first.click()
    page.get_by_role("link", name="New round").first.click()
    page.get_by_label("Name", exact=True).fill(ROUND)
    page.get_by_label("Lead (revision 1)").check()
    page.get_by_label("Samples per target").fill("30")
    page.get_by_role("button", name="Check design").click()
    offer = page.locator(".with-remedy").get_by_role("button", name="Use")
    offer.wait_for()  # fewer are written
    page.get_by_label("Samples per target").fill("4")
    page.get_by_role("button", name="Save draft").click()
    page.locator("summary", has_text="Launch").click()
    page.get_by_role("button", name="Launch the round").click()
    page.get_by_text("Round launched").wait_for()


def rate(page) -> int:
    page.get_by_role("link", name="My rounds").first.click()
    page.get_by_role("link", name="Read the instructions").click()
    page.get_by_label("I have read the instructions").check()
    page.get_by_role("button", name="Confirm and continue").click()
    ready(page)
    return rate_by_keyboard(page, keys())


def unblind(page) -> None:
    page.reload()
    page.get_by_role("button", name="Close").click()
    page.get_by_role("link", name="Unblind").click()
    page.get_by_label("Name of the round").fill(ROUND)
    page.get_by_role("button", name="Unblind").click()
    page.wait_for_url("**/report/")
    run_newest(page)


def publish(page, base: str) -> Path:
    """A release, and its archive with card and datasheet."""
    page.goto(f"{base}/export/")
    page.get_by_label("Release tag").fill("v1.0")
    page.get_by_role("button", name="Start export").click()
    page.wait_for_url("**/jobs/**")
    run_newest(page)
    page.goto(f"{base}/publish/")
    page.get_by_label("Release tag").fill("v1.0")
    page.get_by_role("button", name="Start publication").click()
    page.get_by_role("heading", name="Publish v1.0").wait_for()
    page.get_by_role("button", name="Check release").click()
    page.locator("[data-job]").wait_for()
    run_newest(page)
    page.get_by_label("Authors").fill("The bridge team")
    page.get_by_role("button", name="Save description").click()
    page.get_by_text("Description saved.").wait_for()
    page.get_by_role("button", name="Write archive").click()
    page.locator("[data-job]").wait_for()
    run_newest(page)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download archive").click()
    return download.value.path()


def test_an_own_file_becomes_a_report_and_a_publication(open_page, admin, tmp_path):  # noqa: F811
    page = open_page(admin, "/")
    walk = Walk(page)
    import_file(walk, make_workbook(tmp_path))
    draw(walk)
    write_first(walk)
    write_until(admin, WRITTEN)
    project = Project.objects.get()
    base = page.url.partition("/tasks/")[0] + f"/p/{project.slug}"

    page.goto(f"{base}/systems/")
    add_and_run(page, "Lead")
    raters = [member(project, name, Role.RATER) for name in ("rater1", "rater2")]
    launch_round(page)
    assert [rate(open_page(rater, "/")) for rater in raters] == [8, 8]
    unblind(page)
    assert "lead" in page.locator("main").inner_text().casefold()
    archive = publish(page, base)

    assert {name for (name,) in Judgement.objects.values_list("rater__username")} == {"rater1", "rater2"}
    with zipfile.ZipFile(archive) as publication:
        assert "bridges-v1.0/README.md" in publication.namelist()
        table = pyarrow.parquet.read_table(io.BytesIO(publication.read("bridges-v1.0/data/summaries/train.parquet")))
    assert sum(TEXT in row.values() for row in table.to_pylist()) == WRITTEN - 1
    assert Job.objects.filter(state="failed").count() == 0
