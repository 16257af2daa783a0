"""A publication from its tag to its archive in the browser; every page fits, in both themes and on a phone."""

import pytest
from playwright.sync_api import expect

from annotation.models import Job, Membership, Project, Publication, Role, SourceDocument
from tests.api.world import work_off
from tests.browser.conftest import PHONE
from tests.browser.test_every_page import AXE, AXE_RUN, HERE, SCHEMES, WORD
from tests.browser.test_rounds import SHOTS
from tests.publications import factories as make
from tests.publications.test_site import rated, reported  # noqa: F401  fixtures


def look(page, name):
    """Screenshots in both themes and on a phone; nothing overflows, and axe finds nothing serious."""
    page.wait_for_load_state()
    script, faults = (HERE / "layout.js").read_text(encoding="utf-8"), []
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        for width in (PHONE["width"], 1440):
            page.set_viewport_size({"width": width, "height": 900})
            faults += [f"{fault} at {width} {scheme}" for fault in page.evaluate(script)]
            if SHOTS:
                page.screenshot(path=f"{SHOTS}/{name}-{scheme}-{width}.png", full_page=True)
    axe = AXE.read_text(encoding="utf-8")
    page.evaluate(f"() => {{ {axe} }}")
    faults += page.evaluate(AXE_RUN)
    assert not faults, "\n".join(faults)


@pytest.fixture
def researcher(tmp_path, django_user_model, transactional_db):
    project = make.make_project(tmp_path, django_user_model)
    Project.objects.filter(pk=project.pk).update(name=f"Minutes of {WORD}")
    SourceDocument.objects.filter(project=project, external_id="e").update(licence="", title=f"Anna Meier {WORD}")
    user = django_user_model.objects.create_user("researcher")
    Membership.objects.create(user=user, project=project, role=Role.RESEARCHER)
    return user


def run_newest(page):
    with page.expect_navigation():  # the page sees by itself that the job ended, and is loaded whole
        work_off(Job.objects.order_by("-pk")[0])
    expect(page.locator("[data-job]")).to_have_count(0)


def test_from_tag_to_archive(open_page, researcher):
    page = open_page(researcher, "/p/news/publish/")
    page.get_by_label("Release tag").fill("v1.0")
    page.get_by_role("button", name="Start publication").click()
    page.get_by_role("heading", name="Publish v1.0").wait_for()
    page.get_by_role("button", name="Check release").click()
    page.locator("[data-job]").wait_for()
    expect(page.get_by_role("button", name="Check release")).to_be_disabled()
    run_newest(page)
    look(page, "publication-checked")

    page.get_by_role("link", name="Review places").click()
    look(page, "publication-places")
    page.get_by_role("checkbox", name="Write to anna@example.org").check()
    page.get_by_role("button", name="Mask", exact=True).click()
    page.get_by_text("Decided about 1 place.").wait_for()
    page.get_by_label("Decide about all 3 places that match").check()
    page.get_by_role("button", name="Keep", exact=True).press("Enter")
    page.get_by_text("Decided about 3 places.").wait_for()
    page.get_by_role("link", name="v1.0").click()
    page.get_by_role("button", name="Leave these texts out").click()
    page.get_by_text("Left out; the ids stay.").wait_for()
    page.get_by_role("button", name="Leave them out").click()
    page.get_by_text("They are left out.", exact=True).wait_for()
    page.get_by_label("Authors").fill("A. Meier")
    page.get_by_role("button", name="Save description").click()
    page.get_by_text("Description saved.").wait_for()

    page.get_by_role("link", name="Edit datasheet").click()
    look(page, "publication-datasheet")
    page.get_by_label("Who paid for its creation?").fill("The lab.")
    page.get_by_role("button", name="Save datasheet").click()
    page.get_by_text("Datasheet saved.").wait_for()
    page.get_by_role("button", name="Write archive").click()
    page.locator("[data-job]").wait_for()
    run_newest(page)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download archive").click()
    assert download.value.suggested_filename == "news-v1.0.zip"
    look(page, "publication-written")
    page.goto(page.url.partition("/publish/")[0] + "/publish/")
    look(page, "publications")
    assert Publication.objects.get().description["authors"] == "A. Meier"


def test_the_site_of_a_round_is_read_from_its_files(chromium, transactional_db, reported, tmp_path):  # noqa: F811
    """Opened from a folder, without a server: figures load, nothing is asked of the network, and it fits a phone."""
    from evaluation.services.reports import report_site

    report_site.write_site(round_=reported, folder=tmp_path / "site")
    page = chromium.new_context(viewport=PHONE).new_page()
    items = []
    page.on("request", lambda request: items.append(request.url))
    page.goto((tmp_path / "site" / "index.html").as_uri())
    assert page.evaluate("[...document.images].every((image) => image.complete && image.naturalWidth > 0)")
    assert all(url.startswith("file://") for url in items)
    assert page.evaluate("getComputedStyle(document.querySelector('table')).borderCollapse") == "collapse"
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        for width in (PHONE["width"], 1440):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{width} {scheme}"
            if SHOTS:
                page.screenshot(path=f"{SHOTS}/site-{scheme}-{width}.png", full_page=True)
    page.evaluate(f"() => {{ {AXE.read_text(encoding='utf-8')} }}")
    assert page.evaluate(AXE_RUN) == []
    page.context.close()
