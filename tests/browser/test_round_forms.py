"""Pages that the walk over every page does not reach in these states: forms of all question types, crowd raters."""

import pytest

from annotation.models import CrowdWorker, Role
from annotation.services.people import consent, crowd_links
from tests.browser import world
from tests.browser.test_every_page import AXE, AXE_RUN, HERE, SCHEMES, WIDTHS, WORD
from tests.rounds.factories import claim, config, launch_new_round, make_run, member, project_with_gold
from tests.rounds.forms import LIST_TEMPLATE, list_round, single_round


def find_faults(page) -> list[str]:
    """What does not fit at some width, and what axe finds serious."""
    script, faults = (HERE / "layout.js").read_text(encoding="utf-8"), []
    if AXE.exists():
        source = AXE.read_text(encoding="utf-8")
        page.evaluate(f"() => {{ {source} }}")
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        if AXE.exists():
            faults += page.evaluate(AXE_RUN)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            faults += [f"{fault} at {width}" for fault in page.evaluate(script)]
    return faults


@pytest.fixture
def compared(db):
    """(project, rater) of a project with two runs."""
    project = project_with_gold(documents=3, segments=world.document_segments(world.NEWS), topics=2)
    make_run(project, "lead", text=f"A long one {WORD} " * 8)
    make_run(project, "tail")
    return project, member(project, "rater1", Role.RATER)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["list", "single"])
def test_forms_of_every_type_fit_and_are_accessible(open_page, compared, form):
    project, rater = compared
    text = {"list": list_round, "single": single_round}[form](n=1, n_raters=1).replace("wrong fact", WORD[:60])
    round_ = launch_new_round(project, text=text)
    view = claim(round_, rater)
    page = open_page(rater, f"/items/{view.public_id}/")
    page.wait_for_selector("[data-rate][data-ready]")
    assert find_faults(page) == []


@pytest.mark.slow
def test_examples_of_lists_fit_before_the_first_item(open_page, compared):
    project, rater = compared
    round_ = launch_new_round(project, text=list_round(n=1, n_raters=1, head="qualification = 1.0"))
    page = open_page(rater, f"/rating/{round_.public_id}/qualification/")
    assert page.get_by_label("A: Best").count() == 1 and find_faults(page) == []
    page.goto(page.url.replace("qualification", "instructions"))
    assert find_faults(page) == []


@pytest.mark.slow
def test_the_preview_of_a_template_fits(open_page, compared):
    project, _rater = compared
    page = open_page(member(project, "researcher", Role.RESEARCHER), f"/p/{project.slug}/rounds/templates/new/")
    text = LIST_TEMPLATE.replace("[template]\n", "").replace("template.", "")
    page.get_by_label("Template", exact=True).fill(text)
    page.get_by_role("button", name="Check and preview").click()
    page.get_by_role("article").get_by_text("Rank them.").wait_for()
    assert find_faults(page) == []


@pytest.mark.slow
def test_the_way_of_a_crowd_rater_fits_from_the_link_to_the_code(open_page, compared, live_server):
    project, _rater = compared
    crowd = '[crowd]\nitems_per_person = 1\n[pay]\namount = 0.6\ncurrency = "USD"\n'
    round_ = launch_new_round(project, text=config(n=2, n_raters=1, more=crowd))
    consent.publish_version(project=project, purpose=f"Research on {WORD}.", text=f"# Consent\n\n{WORD}", by=None)
    link_settings = crowd_links.LinkSettings(name="a", tasks=1, max_uses=3, role="rater", target=str(round_.public_id))
    admin = member(project, "admin", Role.ADMIN)
    _link, plain = crowd_links.make_link(project=project, by=admin, link_settings=link_settings)
    page = open_page(admin, "/")
    page.context.clear_cookies()
    page.goto(f"{live_server.url}/take-part/{plain}/?PROLIFIC_PID=abcdef1234")
    assert "USD 0.60 per item" in page.inner_text("main") and find_faults(page) == []
    page.get_by_label("I have read this and agree").check()
    page.get_by_role("button", name="Start").click()
    page.get_by_role("link", name="Read the instructions").click()
    page.get_by_label("I have read the instructions").check()
    page.get_by_role("button", name="Confirm and continue").click()
    page.wait_for_selector("[data-rate][data-ready]")
    for _question in range(page.locator("[data-question]").count()):
        page.keyboard.press("y")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert find_faults(page) == []
    page.get_by_role("button", name="Get the code").click()
    code = CrowdWorker.objects.get().link.code
    assert code in page.inner_text("main") and find_faults(page) == []
    page.goto(f"{live_server.url}/p/{project.slug}/consent/")
    assert "You agreed to version 1" in page.inner_text("main") and find_faults(page) == []
