"""Pairs and lists: texts and answers in one view, at a desk and on a phone, by cards, tabs, fingers and keys."""

import pytest
from playwright.sync_api import expect

from annotation.models import Role
from evaluation.models import Judgement
from tests.browser import world
from tests.browser.conftest import DESK, PHONE
from tests.browser.test_rounds import ready, shot
from tests.rounds.factories import claim, launch_new_round, make_run, member, project_with_gold
from tests.rounds.forms import GOLD, HEAD

TEXTS = {
    "lead": "The regional council voted 14 to 9 on Tuesday to pay for the crossing until April. Fares rise for "
    "visitors from 4 to 5 crowns, islanders keep the price they have, and children under 12 travel free after six.",
    "tail": "Wardens will count the birds each month and publish what they find, and the nurse will miss the bread.",
    "random": "The sailing was withdrawn in October 2023, when the ageing diesel vessel failed three inspections.",
}
IN_VIEW = """element => {
  const {top, bottom, left, right, width} = element.getBoundingClientRect();
  return width > 0 && top >= 0 && left >= 0 && Math.round(bottom) <= innerHeight && Math.round(right) <= innerWidth;
}"""


def open_item(open_page, template, systems, **options):
    """(page, assignment) of the first item of a round over gold and these systems."""
    project = project_with_gold(documents=3, segments=world.document_segments(world.NEWS), topics=2)
    for key in systems:
        make_run(project, key, text=TEXTS[key])
    targets = GOLD + "".join(f'[[target]]\nsystem = "{key}"\n' for key in systems)
    text = HEAD.format(name="Texts", n=1, n_raters=1, head=f'template = "{template}"') + targets
    rater = member(project, "rater1", Role.RATER)
    view = claim(launch_new_round(project, text=text), rater)
    return ready(open_page(rater, f"/items/{view.public_id}/", **options)), view


def move_finger(page, points):
    """One finger along these points of the page."""
    session = page.context.new_cdp_session(page)
    for number, (x, y) in enumerate(points):
        kind = "touchMove" if number else "touchStart"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def swipe(page, *, start, end, y):
    move_finger(page, [(x, y) for x in (start, *range(start, end, -20))])


def find_middle(element):
    box = element.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag_letter(page, letter, place):
    """The letter of a card onto the row of a place, by mouse."""
    page.mouse.move(*find_middle(page.locator(f"[data-drag={letter}]")))
    page.mouse.down()
    page.mouse.move(*find_middle(page.locator(f"[data-drop='{place}']")), steps=4)
    expect(page.locator(f"[data-drop='{place}']")).to_have_class("place is-target")
    expect(page.locator(".is-lifted")).to_be_visible()
    shot(page, "dragged")
    page.mouse.up()
    expect(page.locator(".is-lifted")).to_have_count(0)


def stored(page):
    """question -> answer, once the page has moved on."""
    with page.expect_navigation():
        page.get_by_role("button", name="Next").click()
    return dict(Judgement.objects.values_list("question", "answer"))


def test_four_summaries_stand_two_by_two_with_their_buttons_above_the_source(open_page):
    page, _view = open_item(open_page, "best-worst", ("lead", "tail", "random"))
    tops = [card.bounding_box()["y"] for card in page.locator(".pair article").all()]
    assert tops[0] == tops[1] < tops[2] == tops[3]
    assert page.locator("#text-source .source-head").evaluate(IN_VIEW)
    cards = [page.get_by_role("article").nth(number) for number in range(4)]
    cards[1].get_by_role("button", name="Best").click()
    cards[3].get_by_role("button", name="Worst").click()
    shot(page, "best-worst")
    expect(page.get_by_label("B: Best")).to_be_checked()
    expect(page.get_by_label("D: Worst")).to_be_checked()
    cards[1].get_by_role("button", name="Worst").click()  # a text is in one place only
    expect(cards[1].get_by_role("button", name="Best")).to_have_attribute("aria-pressed", "false")
    expect(cards[3].get_by_role("button", name="Worst")).to_have_attribute("aria-pressed", "false")
    cards[0].get_by_role("button", name="Best").press("Space")
    assert stored(page) == {"pick": "a>b"}


def test_ranks_are_given_by_buttons_and_by_letters(open_page):
    page, _view = open_item(open_page, "ranking", ("lead", "tail"))
    page.get_by_role("article").nth(2).get_by_role("button", name="1", exact=True).click()
    page.keyboard.press("a")
    expect(page.get_by_role("article").nth(0).get_by_role("button", name="2", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    page.get_by_label("B: 3").check()
    shot(page, "ranking")
    assert stored(page) == {"rank": "c>a>b"}


def test_letters_are_dragged_onto_places_by_mouse(open_page):
    page, _view = open_item(open_page, "ranking", ("lead", "tail"))
    for letter, place in (("a", 1), ("c", 1), ("b", 2), ("a", 3)):  # the second drop takes the first letter's place
        drag_letter(page, letter, place)
        expect(page.get_by_label(f"{letter.upper()}: {place}")).to_be_checked()
    page.mouse.move(*find_middle(page.locator("[data-drag=b]")))
    page.mouse.down()
    page.mouse.move(*find_middle(page.locator("#text-source")), steps=4)
    page.mouse.up()  # let go elsewhere: nothing changes
    assert page.evaluate("getSelection().toString()") == ""
    assert stored(page) == {"rank": "c>b>a"}


def test_letters_are_dragged_onto_places_by_finger(open_page):
    page, _view = open_item(open_page, "best-worst", ("lead", "tail"), viewport=PHONE, has_touch=True, is_mobile=True)
    for letter, place in (("a", "worst"), ("b", "best")):
        page.get_by_role("navigation", name="Show").get_by_role("link", name=f"Summary {letter.upper()}").click()
        page.wait_for_function(f"() => document.querySelector('#text-{letter}').getBoundingClientRect().left === 0")
        (x, y), (to_x, to_y) = (
            find_middle(page.locator(f"[{name}]")) for name in (f"data-drag={letter}", f"data-drop={place}")
        )
        move_finger(page, [(x + (to_x - x) * step / 6, y + (to_y - y) * step / 6) for step in range(7)])
        expect(page.get_by_label(f"{letter.upper()}: {place.title()}")).to_be_checked()
    assert stored(page) == {"pick": "b>a"}


@pytest.mark.parametrize(
    ("template", "systems"),
    [("pairwise-preference", ("lead",)), ("best-worst", ("lead", "tail")), ("ranking", ("lead", "tail"))],
)
def test_on_a_phone_a_text_and_the_answers_are_in_one_view(open_page, template, systems):
    page, _view = open_item(open_page, template, systems, viewport=PHONE, has_touch=True, is_mobile=True)
    shot(page, f"phone-{template}")
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert page.locator("#text-a h2").evaluate(IN_VIEW) and not page.locator("#text-b h2").evaluate(IN_VIEW)
    for control in page.locator(".answers label").all():
        assert control.evaluate(IN_VIEW)
    assert page.get_by_role("button", name="Next").evaluate(IN_VIEW)
    tabs = page.get_by_role("navigation", name="Show")
    tabs.get_by_role("link", name="Summary B").tap()
    page.wait_for_function("() => document.querySelector('#text-b').getBoundingClientRect().left === 0")
    expect(tabs.get_by_role("link", name="Summary B")).to_have_attribute("aria-current", "true")
    tabs.get_by_role("link", name="Source").tap()
    page.wait_for_function("() => document.querySelector('#text-source').getBoundingClientRect().left === 0")
    shot(page, f"phone-{template}-source")


def test_a_swipe_brings_the_other_text_and_its_tab(open_page):
    page, _view = open_item(open_page, "pairwise-preference", ("lead",), viewport=PHONE, has_touch=True, is_mobile=True)
    swipe(page, start=350, end=40, y=250)
    expect(page.get_by_role("link", name="Summary B")).to_have_attribute("aria-current", "true")
    page.locator(".answers label", has_text="B").tap()
    expect(page.locator("#text-b")).to_have_class("is-chosen")
    assert stored(page)["better"] == "b"


def read_rings(page):
    """Names of the answers around which a ring is drawn."""
    return page.evaluate(
        """() => [...document.querySelectorAll(".answers label")]
          .filter((label) => getComputedStyle(label).outlineStyle !== "none").map((label) => label.innerText)"""
    )


@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize(("template", "n_cells"), [("likert", 5), ("pairwise-preference", 3), ("macsum-yes-no", 2)])
def test_a_scale_is_one_row_of_equal_cells_and_points_at_no_answer(open_page, template, n_cells, viewport):
    page, _view = open_item(open_page, template, ("lead",), viewport=viewport)
    boxes = [cell.bounding_box() for cell in page.locator(".answers").first.locator("label").all()]
    assert len(boxes) == n_cells and len({box["y"] for box in boxes}) == 1
    widths = [box["width"] for box in boxes]
    assert max(widths) - min(widths) <= 1
    expect(page.locator("[data-question]").first).to_be_focused()
    assert read_rings(page) == []
    page.keyboard.press("Tab")
    assert len(read_rings(page)) == 1  # by keyboard the ring shows where one is
    page.locator(".answers").last.locator("label").last.click()
    expect(page.locator(".answers").last.locator("input").last).to_be_checked()
    assert read_rings(page) == []
    shot(page, f"scale-{template}-{viewport['width']}")


def test_a_press_on_a_question_that_is_half_in_sight_is_an_answer(open_page):
    page, _view = open_item(open_page, "likert", ("lead",), viewport={"width": 1440, "height": 560})
    cell = page.locator(".answers").nth(1).locator("label").nth(1)
    edge = page.locator(".panel-foot").bounding_box()["y"]
    page.locator(".panel-body").evaluate("(body, by) => body.scrollBy(0, by)", cell.bounding_box()["y"] + 20 - edge)
    box = cell.bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 10)
    page.mouse.down()
    page.mouse.up()
    expect(cell.locator("input")).to_be_checked()


def test_words_of_a_scale_are_below_its_digits_and_only_the_ends_on_a_phone(open_page):
    page, _view = open_item(open_page, "likert", ("lead",))
    words = page.locator(".scale").first.locator("small")
    assert page.locator(".scale").first.inner_text().split("\n") == [
        *("1", "very poor", "2", "poor", "3", "fair", "4", "good", "5", "very good")
    ]
    page.set_viewport_size(PHONE)
    assert [word.bounding_box()["width"] > 1 for word in words.all()] == [True, False, False, False, True]
    page.get_by_label("2 poor").check()
    page.keyboard.press("4")
    expect(page.get_by_label("4 good").first).to_be_checked()
