"""The content policy: what it refuses is seen by the tests, and it refuses what was smuggled in."""

import pytest

from tests.browser import world

EVIL = "https://evil.example/x"
SMUGGLED = {  # tag, attribute, its value, what is done with the element then
    "inline script": ("script", "textContent", "window.ran = 1", ""),
    "inline style": ("p", "style", "color: red", ""),
    "event handler": ("p", "onclick", "window.ran = 1", "it.click()"),
    "foreign script": ("script", "src", EVIL, ""),
    "foreign image": ("img", "src", EVIL, ""),
    "foreign frame": ("iframe", "src", EVIL, ""),
    "base": ("base", "href", EVIL, ""),
    "form elsewhere": ("form", "action", EVIL, "it.submit()"),
}
SMUGGLE = """([tag, name, value, then]) => {
  const it = document.createElement(tag);
  if (name === "textContent") it.textContent = value; else it.setAttribute(name, value);
  document.body.append(it);
  if (then === "it.click()") it.click();
  if (then === "it.submit()") it.submit();
}"""


@pytest.mark.parametrize("what", SMUGGLED)
def test_what_is_smuggled_in_is_refused_and_seen(open_page, policy_holds, what):
    """Shows too that the check at the end of every browser test would go red."""
    page = open_page(world.make_annotator(world.news()), "/", watch=False)
    assert policy_holds == []

    page.evaluate(SMUGGLE, list(SMUGGLED[what]))
    for _ in range(100):
        if policy_holds:
            break
        page.wait_for_timeout(20)

    assert policy_holds, what
    assert page.evaluate("window.ran") is None
    page.close()  # a refused form is reported once more when its navigation ends
    policy_holds.clear()
