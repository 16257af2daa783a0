"""A stranger's first hour: from an own file to the first summary that is written, with every click counted."""

import csv
import io
import zipfile

import pytest
from django.contrib.auth.models import User

from annotation import jobs
from annotation.models import Annotation, Job, Sample, SourceDocument
from tests.browser.conftest import DESK, PHONE
from tests.browser.task_steps import SUMMARY, find_segment_button, press_submit

TOWNS = ("Ashby", "Calder", "Marrow", "Elmsworth", "Norfield", "Thorpe", "Wick", "Aldwater", "Harrow", "Penrith")
TEXT = (
    "The council of {town} voted on Tuesday to rebuild the old bridge over the river, closed two winters ago. "
    "Engineers had found cracks in three of its pillars, and traffic has gone through the market square since then. "
    "The work will cost about four million crowns and is to begin in April, when the water is low. "
    "Shopkeepers in {town} welcome the plan, although they fear for their trade while the square is full of lorries. "
    "A group of residents asked for a separate path for cyclists, and the council agreed to look into it by June. "
    "The mayor said that the bridge would stand for another hundred years, and that nobody should lose a shop to it."
)
SUMMARY_OF = "The bridge of {town} will be rebuilt from April."
MOST_CLICKS = 20


def make_csv(folder, *, with_summaries=False):
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(["title", "text", *["summary"] * with_summaries])
    for town in TOWNS:
        summary = [SUMMARY_OF.format(town=town)] * with_summaries
        table.writerow([f"Bridge of {town}", TEXT.format(town=town), *summary])
    file = folder / "articles.csv"
    file.write_text(out.getvalue(), encoding="utf-8")
    return file


def make_workbook(folder):
    from openpyxl import Workbook

    book = Workbook()
    book.active.append(["title", "text", "summary"])
    for town in TOWNS:
        book.active.append([f"Bridge of {town}", TEXT.format(town=town), SUMMARY_OF.format(town=town)])
    file = folder / "articles.xlsx"
    book.save(file)
    return file


def make_zip_of_documents(folder):
    import docx

    file = folder / "articles.zip"
    with zipfile.ZipFile(file, "w") as archive:
        for town in TOWNS:
            document, stream = docx.Document(), io.BytesIO()
            document.add_paragraph(TEXT.format(town=town))
            document.save(stream)
            archive.writestr(f"{town}.docx", stream.getvalue())
    return file


class Walk:
    """One person's way through the pages. Presses things by what is written on them, and counts the clicks."""

    def __init__(self, page) -> None:
        self.page, self.n = page, 0

    def press(self, role: str, name: str, *, leads_to: str = "") -> None:
        self.page.get_by_role(role, name=name).first.click()
        self.n += 1
        if leads_to:
            self.page.wait_for_url(leads_to)

    def tick(self, label: str, **how) -> None:
        self.page.get_by_label(label, **how).check()
        self.n += 1

    def choose_file(self, file) -> None:
        self.page.locator("input[type=file]").first.set_input_files(file)
        self.n += 2  # the button, and the file in the dialog

    def wait_for_job(self, ended: str = "Done") -> None:
        """What a worker does while the page of the job is open."""
        for job_id, _queue in jobs.list_open_jobs():
            if Job.objects.get(pk=job_id).kind not in ("count_tokens", "score"):
                jobs.run_job(job_id)
        self.page.locator(".notice").get_by_text(ended).first.wait_for()


@pytest.fixture
def admin(transactional_db) -> User:
    return User.objects.create_superuser("admin")


def import_file(walk: Walk, file) -> None:
    """A new project with its sources: the template of short texts is chosen by itself."""
    page = walk.page
    walk.press("link", "New project", leads_to="**/projects/new/")
    walk.choose_file(file)
    page.get_by_label("Name", exact=True).fill("Bridges")
    walk.press("button", "Create project")
    page.get_by_text("“Short articles” was chosen").wait_for()
    walk.press("button", "Create project", leads_to="**/import/**")
    page.get_by_label("Licence of the texts").first.select_option("CC0-1.0")
    walk.n += 1
    walk.press("button", "Import", leads_to="**/sources/imports/**")
    walk.wait_for_job("imported")


def draw(walk: Walk) -> None:
    """Candidates and requests: each page that a job ends on leads to the next step."""
    walk.press("button", "Extract candidates", leads_to="**/jobs/**")
    walk.wait_for_job()
    walk.press("link", "Draw samples", leads_to="**/draw/**")
    walk.press("button", "Draw samples", leads_to="**/jobs/**")
    walk.wait_for_job()


def write_first(walk: Walk) -> None:
    page = walk.page
    walk.press("button", "Write them myself", leads_to="**/gate/**")
    walk.tick("I have read this version")
    walk.tick("I wrote this myself")
    walk.tick("yes", exact=True)
    walk.press("button", "Confirm and sign", leads_to="**/tasks/**")
    page.wait_for_selector("[data-task][data-ready]")
    page.locator("#summary").fill(SUMMARY)
    walk.press("button", "Continue to relevant segments")
    find_segment_button(page, 1).click()
    walk.press("button", "Confirm these segments")
    walk.tick("I have reviewed it")
    page.get_by_label("Title").fill("A bridge")
    with page.expect_navigation():
        press_submit(page)
    walk.n += 2  # the segment, and Submit


@pytest.mark.parametrize(
    ("make_file", "references", "options"),
    [(make_csv, 0, {}), (make_workbook, 10, {"viewport": PHONE}), (make_zip_of_documents, 0, {"color_scheme": "dark"})],
    ids=["csv", "excel with summaries, phone", "zip of Word documents, dark"],
)
def test_from_an_own_file_to_the_first_summary(open_page, admin, tmp_path, make_file, references, options):
    page = open_page(admin, "/", **options)
    walk = Walk(page)

    import_file(walk, make_file(tmp_path))
    assert SourceDocument.objects.count() == 10
    assert Sample.objects.references().count() == references
    draw(walk)
    page.set_viewport_size(DESK)  # test_bench.py writes on a phone
    write_first(walk)

    assert Annotation.objects.exclude(origin=Annotation.Origin.IMPORT).get().payload["summary"] == SUMMARY
    assert walk.n <= MOST_CLICKS, walk.n
