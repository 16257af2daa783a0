"""One person's way from an own file to a summary, in any language of the interface, with every click counted."""

import csv
import io
import zipfile
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.utils import translation

from annotation import jobs
from annotation.models import Job
from tests.browser.task_steps import SUMMARY, find_segment_button
from tests.browser.test_rounds import shot

LAYOUT = (Path(__file__).parent / "layout.js").read_text(encoding="utf-8")

TOWNS = ("Ashby", "Calder", "Marrow", "Elmsworth", "Norfield", "Thorpe", "Wick", "Aldwater", "Harrow", "Penrith")
TEXT = (
    "The council of {town} voted on Tuesday to rebuild the old bridge over the river, closed two winters ago. "
    "Engineers had found cracks in three of its pillars, and traffic has gone through the market square since then. "
    "The work will cost about four million crowns and is to begin in April, when the water is low. "
    "Shopkeepers in {town} welcome the plan, although they fear for their trade while the square is full of lorries. "
    "A group of residents asked for a separate path for cyclists, and the council agreed to look into it by June. "
    "The mayor said that the bridge would stand for another hundred years, and that nobody should lose a shop to it."
)
GERMAN_TEXT = (
    "Der Gemeinderat von {town} beschloss am Dienstag, die alte Brücke über den Fluss wieder aufzubauen. "
    "Fachleute hatten in drei Pfeilern Risse gefunden, und seither fährt der Verkehr über den Marktplatz. "
    "Die Arbeiten kosten rund vier Millionen Kronen und beginnen im April, wenn das Wasser niedrig steht. "
    "Die Läden in {town} begrüßen den Plan, obwohl sie während der Bauzeit um ihre Kundschaft fürchten. "
    "Die Bürgermeisterin sagte, die Brücke werde weitere hundert Jahre stehen – und kein Geschäft müsse schließen."
)
SUMMARY_OF = "The bridge of {town} will be rebuilt from April."
N_PARAGRAPHS = 6
"""Of a long text: 700 words."""


def make_csv(folder: Path) -> Path:
    out = io.StringIO()
    table = csv.writer(out)
    table.writerows([("title", "text"), *((f"Bridge of {town}", TEXT.format(town=town)) for town in TOWNS)])
    return store(folder / "articles.csv", out.getvalue().encode())


def make_german_csv(folder: Path) -> Path:
    """As a spreadsheet program in Germany saves a table."""
    out = io.StringIO()
    table = csv.writer(out, delimiter=";")
    table.writerow(["Kennung", "Titel", "Text"])
    table.writerows((f"Ü{n}", f"Brücke in {town}", GERMAN_TEXT.format(town=town)) for n, town in enumerate(TOWNS))
    return store(folder / "Artikel.csv", out.getvalue().encode("windows-1252"))


def make_workbook(folder: Path) -> Path:
    from openpyxl import Workbook

    book = Workbook()
    book.active.append(["title", "text", "summary"])
    for town in TOWNS:
        book.active.append([f"Bridge of {town}", TEXT.format(town=town), SUMMARY_OF.format(town=town)])
    book.save(folder / "articles.xlsx")
    return folder / "articles.xlsx"


def build_document(texts: list[str]) -> bytes:
    import docx

    document, stream = docx.Document(), io.BytesIO()
    for text in texts:
        document.add_paragraph(text)
    document.save(stream)
    return stream.getvalue()


def list_long_texts(town: str) -> list[str]:
    """Paragraphs about several towns, which together are longer than a short article."""
    place = TOWNS.index(town)
    return [TEXT.format(town=other) for other in (TOWNS * 2)[place : place + N_PARAGRAPHS]]


def make_document(folder: Path) -> Path:
    return store(folder / "article.docx", build_document(list_long_texts("Ashby")))


def make_zip_of_documents(folder: Path, *, is_long: bool = False) -> Path:
    file = folder / "articles.zip"
    with zipfile.ZipFile(file, "w") as archive:
        for town in TOWNS:
            texts = list_long_texts(town) if is_long else [TEXT.format(town=town)]
            archive.writestr(f"{town}.docx", build_document(texts))
    return file


def make_zip_of_long_documents(folder: Path) -> Path:
    return make_zip_of_documents(folder, is_long=True)


def store(file: Path, raw: bytes) -> Path:
    file.write_bytes(raw)
    return file


@pytest.fixture
def admin(transactional_db) -> User:
    return User.objects.create_superuser("admin")


class Walk:
    """Presses things by what is written on them in the language of the person, and counts the clicks."""

    def __init__(self, page, language: str = "en") -> None:
        self.page, self.language, self.n = page, language, 0
        self.faults: list[str] = []
        """What was too wide or covered on a page that was left."""

    def say(self, message: str, **values: object) -> str:
        """What the page says for a message, in any state of the catalogue; a context stands before `|`."""
        context, is_in_context, text = message.rpartition("|")
        with translation.override(self.language):
            words = translation.pgettext(context, text) if is_in_context else translation.gettext(text)
        return words % values if values else words

    def press(self, role: str, message: str, *, leads_to: str = "", exact: bool = False, **values: object) -> None:
        element = self.page.get_by_role(role, name=self.say(message, **values), exact=exact).first
        element.wait_for()
        self.look()
        element.click()
        self.n += 1
        if leads_to:
            self.page.wait_for_url(leads_to)

    def look(self) -> None:
        """Keep what does not fit on the page as it is now, and a picture of it where pictures are asked for."""
        if not self.page.locator("details.menu[open]").count():  # which lies over the page
            self.faults += [f"{self.page.url} after {self.n} clicks: {fault}" for fault in self.page.evaluate(LAYOUT)]
        width = self.page.viewport_size["width"]
        whole = not self.page.locator("[data-task], [data-rate]").count()
        shot(self.page, f"walk-{self.language}-{width}-{self.n:02}", whole=whole)

    def click(self, selector: str) -> None:
        """For what has no words of its own: a box, a pane, a number."""
        self.page.locator(selector).first.click()
        self.n += 1

    def choose_file(self, file: Path) -> None:
        self.page.locator("input[type=file]").first.set_input_files(file)
        self.n += 2  # the button, and the file in the dialog

    def wait_for(self, message: str, **values: object) -> None:
        self.page.get_by_text(self.say(message, **values)).first.wait_for()

    def wait_for_job(self, ended: str = "Done") -> None:
        """What a worker does while the page of the job is open."""
        for job_id, _queue in jobs.list_open_jobs():
            if Job.objects.get(pk=job_id).kind not in ("count_tokens", "score"):
                jobs.run_job(job_id)
        self.page.locator(".notice").get_by_text(self.say(ended)).first.wait_for()

    @property
    def is_on_a_phone(self) -> bool:
        return self.page.viewport_size["width"] < 900


def import_file(walk: Walk, file: Path, *, is_long: bool = False, language: str = "") -> None:
    """A new project with its sources; the template of short texts is chosen by itself where they are short. language:
    of the texts, where it is not the one that the page suggests."""
    page = walk.page
    walk.press("link", "New project", leads_to="**/projects/new/")
    walk.choose_file(file)
    page.locator("[name=name]").fill("Bridges")
    if language:
        page.locator("[name=language]").select_option(language)
        walk.n += 1
    if not is_long:
        walk.press("button", "Create project")
        page.locator(".notice[role=status]").wait_for()
        assert page.locator("[name=schema]:checked").get_attribute("value") == "short-articles"
    walk.press("button", "Create project", leads_to="**/import/**")
    page.get_by_label(walk.say("Licence of the texts")).first.select_option("CC0-1.0")
    walk.n += 1
    walk.press("button", "Import", leads_to="**/sources/imports/**", exact=True)
    walk.wait_for_job("imported")


def draw(walk: Walk) -> None:
    """Candidates and requests: each page that a job ends on leads to the next step."""
    walk.press("button", "Extract candidates", leads_to="**/jobs/**")
    walk.wait_for_job()
    walk.press("link", "Draw samples", leads_to="**/draw/**")
    walk.press("button", "Draw samples", leads_to="**/jobs/**")
    walk.wait_for_job()


def sign(walk: Walk) -> None:
    walk.press("button", "Write them myself", leads_to="**/gate/**")
    for box in ("[name=read]", "[name=sign]", "[name=consent]"):
        walk.click(box)
    walk.press("button", "Confirm and sign", leads_to="**/tasks/**")
    walk.page.wait_for_selector("[data-task][data-ready]")


def write_first(walk: Walk) -> None:
    """At a desk, or on a phone, which shows the source or the work."""
    page = walk.page
    sign(walk)
    if walk.is_on_a_phone:
        find_segment_button(page, 1).click()
        walk.click("label:has([name=pane][value=work])")
    page.locator("#summary").fill(SUMMARY)
    walk.press("button", "Continue to relevant segments")
    if not walk.is_on_a_phone:
        find_segment_button(page, 1).click()
    walk.press("button", "Confirm these segments")
    walk.click("[data-reread]")
    page.locator("#title").fill("A bridge")
    is_far = page.locator("[data-to-do].to-do-warn").count() > 0
    with page.expect_navigation():
        walk.press("button", "Submit", exact=True)
        if is_far:
            walk.press("button", "Submit anyway")
    walk.n += 1  # the segment
