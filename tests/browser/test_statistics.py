"""The statistics page on real data: worked out by itself, read on a desk, in the dark and on a phone."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connections
from playwright.sync_api import expect

from annotation import jobs
from annotation.models import Job, Project, Score
from annotation.services import statistics
from annotation.services.people.projects import create_project
from annotation.services.sources.importing import import_file
from epitome.formats.options import ImportOptions
from tests.browser.conftest import DESK, PHONE

PAGE = "/p/macdoc/statistics/"
# SVG's text is painted by `fill`; tables by `color`.
CONTRAST = """() => {
  const parse = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const light = (rgb) => rgb.slice(0, 3).map((v) => v / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const page = light(parse(getComputedStyle(document.body).backgroundColor));
  return [...document.querySelectorAll(".chart text, .paper td, .paper th, .figure-note li, .ci")]
    .filter((element) => element.getClientRects().length)
    .map((element) => {
      const style = getComputedStyle(element);
      const ink = light(parse(element.closest("svg") ? style.fill : style.color));
      return [element.textContent.slice(0, 20), (Math.max(ink, page) + 0.05) / (Math.min(ink, page) + 0.05)];
    }).filter(([, ratio]) => ratio < 4.5);
}"""
SMALL_TEXT = """() => [...document.querySelectorAll(".chart")].map((chart) => {
  const scale = chart.getBoundingClientRect().width / chart.viewBox.baseVal.width;
  return 11 * scale;
})"""


@pytest.fixture
def macdoc(transactional_db, shared) -> Project:
    """The published news dev file, imported, with scores of lengths in words."""
    project = create_project(slug="macdoc", schema="macsum-doc")
    file = shared / "data" / "macsum" / "macdoc" / "val.json"
    import_file(project=project, path=file, file_name="val.json", options=ImportOptions(with_references=True))
    Score.objects.bulk_create(
        Score(
            project=project,
            target_kind="annotation",
            target_id=annotation.pk,
            measure="length",
            value=float(len(annotation.payload["summary"].split())),
            signature="length:words|v:1",
        )
        for annotation in project.annotations.all()
    )
    Job.objects.all().delete()  # what the import asks for, so that the page need not wait for the measuring
    return project


@pytest.fixture
def researcher(transactional_db) -> User:
    return User.objects.create_superuser("researcher")


def work_off() -> None:
    for job_id, _queue in jobs.list_open_jobs():
        jobs.run_job(job_id)
    connections.close_all()


def test_the_page_works_itself_out_and_shows_the_lost_guideline(macdoc, researcher, open_page):
    page = open_page(researcher, PAGE)
    page.get_by_text("The statistics are being calculated").wait_for()  # it sent its own form
    job = Job.objects.get(kind="statistics")
    work_off()
    page.get_by_text("554 summaries of 94 sources.").wait_for()  # and it saw the end by itself
    assert Job.objects.get(pk=job.pk).state == "done"
    expect(page.get_by_text("Marked segments, anchors: the label “normal” has 3 modes, at 5")).to_be_visible()
    page.get_by_text("of 133 anchors do not fit their label").first.click()
    page.locator("#t-anchors tbody th a").first.click()
    page.wait_for_url("**/sources/*/")
    page.go_back()
    page.get_by_label("Written by").select_option("people")
    page.get_by_role("button", name="Filter").click()
    page.get_by_text("0 summaries of 0 sources.").wait_for()


def test_files_are_fetched_from_the_page(macdoc, researcher, open_page):
    statistics.start_statistics(project=macdoc, by=None)
    work_off()
    page = open_page(researcher, PAGE)
    for link, name in (
        ("LaTeX: Size of the dataset", "macdoc-size.tex"),
        ("CSV: Combinations of values", "macdoc-combinations.csv"),
    ):
        with page.expect_download() as waiting:
            page.get_by_role("link", name=link).click()
        assert waiting.value.suggested_filename == name
    with page.expect_download() as waiting:
        page.get_by_role("link", name="SVG").first.click()
    drawn = Path(waiting.value.path()).read_text(encoding="utf-8")
    other = page.context.new_page()
    other.set_content(f"<img src='data:image/svg+xml,{drawn.replace('#', '%23')}'>".replace("\n", " "))
    assert "<style>" in drawn and 'xmlns="http://www.w3.org/2000/svg"' in drawn


@pytest.mark.parametrize(
    "options",
    [{"viewport": {"width": 1280, "height": 900}}, {"viewport": DESK, "color_scheme": "dark"}, {"viewport": PHONE}],
    ids=["light", "dark", "phone"],
)
def test_figures_and_tables_are_readable(macdoc, researcher, open_page, options):
    statistics.start_statistics(project=macdoc, by=None)
    work_off()
    page = open_page(researcher, PAGE, **options)
    expect(page.locator("svg.chart")).to_have_count(
        8
    )  # one of means, one of combinations, three of values, three of ratios
    for more in page.locator("details.more > summary").all():
        more.click()
    assert page.evaluate("document.documentElement.scrollWidth") == options["viewport"]["width"]
    assert page.evaluate(CONTRAST) == []
    assert min(page.evaluate(SMALL_TEXT)) > 10.5
    assert not page.evaluate("document.querySelectorAll('.chart [style], .paper [style]').length")
