"""Automatic pauses in the browser: previewed and saved in the settings, and resumed on the members page."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from annotation.models import Participation, Project, Role
from tests.browser.conftest import DESK, PHONE
from tests.browser.test_every_page import AXE, AXE_RUN, HERE, SCHEMES
from tests.inspection.factories import make_small_project, save_inspection, submit_summaries
from tests.tasks.factories import make_people

SHOTS = os.environ.get("EPITOME_SHOTS", "")


def check_layout_and_axe(page, name: str) -> None:
    """Nothing overflows, and axe finds nothing, in every scheme on a desk and on a phone."""
    layout, axe = (HERE / "layout.js").read_text(encoding="utf-8"), AXE.read_text(encoding="utf-8")
    page.evaluate(f"() => {{ {axe} }}")
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        for size in (DESK, PHONE):
            page.set_viewport_size(size)
            assert page.evaluate(layout) == []
            if SHOTS:
                path = Path(SHOTS) / f"pauses-{name}-{scheme}-{size['width']}.png"
                page.screenshot(path=str(path), full_page=True)
        assert page.evaluate(AXE_RUN) == []
    page.set_viewport_size(DESK)


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: npm ci")
def test_a_rule_is_previewed_saved_and_a_member_is_resumed(transactional_db, open_page):
    project, (writer,), (reviewer,) = make_small_project(
        reviewers=1, documents=2, groups=2, claim_unit="sample", phases="one-page"
    )
    (admin,) = make_people(1, project, Role.ADMIN)
    for summary in submit_summaries(project, writer, 2):
        save_inspection(summary, reviewer, verdict="reject")
    page = open_page(admin, f"/p/{project.slug}/settings/")
    page.get_by_label("Returned or rejected in a row").fill("2")
    page.get_by_role("button", name="Preview").click()
    page.get_by_text("2 tasks in a row returned or rejected.").wait_for()
    expect(page.get_by_text("Nothing was saved.")).to_be_visible()
    check_layout_and_axe(page, "settings")
    page.get_by_role("button", name="Save rules").click()
    page.get_by_text("A rule takes effect at the member").wait_for()
    assert Project.objects.get(pk=project.pk).pause_after_returned == 2
    (summary,) = submit_summaries(project, writer)
    save_inspection(summary, reviewer, verdict="reject")
    page.goto(page.url.replace("settings/", "members/").partition("#")[0])
    page.get_by_text("Rule: 2 tasks in a row returned or rejected.").wait_for()
    check_layout_and_axe(page, "members")
    page.get_by_role("button", name="Resume annotator1").click()
    page.get_by_text("Resumed: annotator1.").wait_for()
    assert Participation.objects.get(user=writer).paused_at is None
