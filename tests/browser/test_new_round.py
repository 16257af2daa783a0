"""A new round whose design asks for too much: the form stays, the fault is at its field, one press mends it."""

import pytest
from playwright.sync_api import expect

from annotation.models import Role
from evaluation.models import Round
from tests.browser import world
from tests.browser.conftest import DESK, PHONE
from tests.browser.test_rounds import shot
from tests.rounds.factories import make_run, member, project_with_gold, raters_of


@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_too_many_samples_are_mended_by_one_press_up_to_the_launch(open_page, viewport):
    project = project_with_gold(documents=3, segments=world.document_segments(world.NEWS), topics=2)
    make_run(project, "lead")
    raters_of(project)
    name = f"too-many-{viewport['width']}"
    page = open_page(
        member(project, "researcher", Role.RESEARCHER), f"/p/{project.slug}/rounds/new/", viewport=viewport
    )
    expect(page.get_by_label("Samples per target")).to_have_value("6")
    page.get_by_label("Name", exact=True).fill("Lead against gold")
    page.get_by_label("lead (revision 1)").check()
    page.get_by_label("Samples per target").fill("30")
    page.get_by_role("button", name="Check design").click()
    offer = page.locator(".with-remedy").get_by_role("button", name="Use 6")
    expect(offer).to_be_in_viewport()
    expect(page.locator("#id_n_error")).to_contain_text("6 samples fit, 30 are needed")
    expect(page.get_by_label("Name", exact=True)).to_have_value("Lead against gold")
    expect(page.locator("#id_config")).to_be_hidden()
    shot(page, f"{name}-fault")
    shot(page, f"{name}-fault-whole", whole=True)
    offer.click()
    expect(page.get_by_label("Samples per target")).to_have_value("6")
    expect(page.get_by_role("heading", name="Design check")).to_be_in_viewport()
    expect(page.locator("[data-part=check] .facts")).to_contain_text("12")
    shot(page, f"{name}-checked")
    page.get_by_role("button", name="Save draft").click()
    page.locator("summary", has_text="Launch").click()
    asked = page.locator(".menu-body", has_text="can no longer be changed")
    expect(asked).to_contain_text("12 items")
    expect(asked).to_contain_text("2 raters")
    shot(page, f"{name}-launch")
    assert Round.objects.get().state == "draft"
    asked.get_by_role("button", name="Launch the round").click()
    page.get_by_text("Round launched").wait_for()
    page.locator("summary", has_text="Download").click()
    expect(page.get_by_role("link", name="Design (JSON)")).to_be_visible()
    shot(page, f"{name}-round")
