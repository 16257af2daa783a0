"""Sentences and turns are numbered from 1 on every page that shows a source; only files count from 0."""

import re

import pytest

from tests.pages.access_table import addresses  # noqa: F401

pytestmark = pytest.mark.django_db
TAGS = re.compile(r"<[^>]*>")
# page: the element that holds a segment's number
PAGES = {
    "document": r'<span class="turn-mark">(.*?)</span>',
    "sample-outputs": r'<span class="turn-mark">(.*?)</span>',
    "task": r'<button class="turn-mark"[^>]*>(.*?)</button>',
    "inspect": r'<button class="turn-mark"[^>]*>(.*?)</button>',
    "item": r'<button class="turn-mark"[^>]*>(.*?)</button>',
    "overlap-compare": r'<span class="n">(.*?)</span>',
}
READERS = {"task": "annotator", "item": "rater"}


@pytest.mark.parametrize("page", PAGES)
def test_segments_are_numbered_from_one(world, addresses, page):  # noqa: F811
    html = world.as_(READERS.get(page, "admin")).get(addresses[page]).content.decode()
    numbers = [int(re.search(r"\d+", TAGS.sub(" ", mark))[0]) for mark in re.findall(PAGES[page], html, re.DOTALL)]

    assert numbers == list(range(1, len(numbers) + 1)) and len(numbers) > 1
