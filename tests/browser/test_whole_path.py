"""A stranger's first hour: an own file, summaries written, one blind round by two people, its report, a release."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User

from annotation import jobs
from annotation.models import Job

TOWNS = ("Ashby", "Calder", "Marrow", "Elmsworth", "Norfield", "Thorpe", "Wick", "Aldwater", "Harrow", "Penrith")
PARTS = (
    "The council of {town} voted on Tuesday to rebuild the old bridge over the river, which was closed two winters ago.",
    "Engineers had found cracks in three of its pillars, and traffic has gone through the market square since then.",
    "The work will cost about four million crowns and is to begin in April, when the water is low.",
    "Shopkeepers in {town} welcome the plan, although they fear for their trade while the square is full of lorries.",
    "A group of residents asked for a separate path for cyclists, and the council agreed to look into it by June.",
    "The mayor said that the bridge would stand for another hundred years, and that nobody should lose a shop to it.",
)


class Walk:
    """One person's way through the pages. Presses things by what is written on them, and counts the clicks."""

    def __init__(self, page) -> None:
        self.page, self.n = page, 0

    def press(self, role: str, name: str, *, leads_to: str = "") -> None:
        self.page.get_by_role(role, name=name).first.click()
        self.n += 1
        if leads_to:
            self.page.wait_for_url(leads_to)

    def choose_file(self, file: Path) -> None:
        self.page.locator("input[type=file]").first.set_input_files(file)
        self.n += 2  # the button, and the file in the dialog

    def wait_for_job(self, ended: str = "Done") -> None:
        """What a worker does while the page of the job is open."""
        for job_id, _queue in jobs.list_open_jobs():
            if Job.objects.get(pk=job_id).kind not in ("count_tokens", "score"):
                jobs.run_job(job_id)
        self.page.locator(".notice").get_by_text(ended).first.wait_for()


def write_csv(folder: Path) -> Path:
    lines = ["title,text"]
    lines += [f'"Bridge of {town}","{" ".join(PARTS).format(town=town)}"' for town in TOWNS]
    file = folder / "articles.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


@pytest.fixture
def admin(transactional_db) -> User:
    return User.objects.create_superuser("admin")


def test_look(open_page, admin, tmp_path):
    page = open_page(admin, "/")
    walk = Walk(page)

    def shot(name):
        page.screenshot(path=f"/tmp/shots/{name}.png", full_page=True)
        print(name, walk.n, page.url)

    walk.press("link", "New project")
    page.wait_for_url("**/projects/new/")
    walk.choose_file(write_csv(tmp_path))
    page.get_by_label("Name", exact=True).fill("Bridges")
    walk.press("button", "Create project")
    page.get_by_text("was chosen").wait_for()
    shot("advice")
    walk.press("button", "Create project")
    page.wait_for_url("**/import/**")
    shot("check")
    page.get_by_label("Licence of the texts").first.select_option("CC0-1.0")
    walk.n += 1
    walk.press("button", "Import")
    page.wait_for_url("**/sources/imports/**")
    walk.wait_for_job("imported")
    shot("imported")
    walk.press("button", "Extract candidates", leads_to="**/jobs/**")
    walk.wait_for_job()
    walk.press("link", "Draw samples", leads_to="**/draw/**")
    walk.press("button", "Draw samples", leads_to="**/jobs/**")
    walk.wait_for_job()
    shot("drawn")
    walk.press("link", "Go to members", leads_to="**/members/**")
    page.get_by_label("Existing account").fill("admin")
    walk.n += 1
    walk.press("button", "Add member")
    page.get_by_role("cell").get_by_text("annotator", exact=True).first.wait_for()
    walk.press("link", "Overview", leads_to="**/p/bridges/")
    shot("overview3")
    walk.press("button", "Write the next", leads_to="**/gate/**")
    shot("gate")
    page.locator("form input[type=checkbox]").first.check()
    walk.n += 1
    walk.press("button", "Confirm and sign")
    page.wait_for_selector("[data-task][data-ready]")
    shot("task")
