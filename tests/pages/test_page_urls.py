"""URLs that services put into answers are those of the URL configuration."""

import uuid

import pytest
from django.urls import clear_script_prefix, reverse, set_script_prefix

from annotation.services.core.page_urls import page_url


@pytest.mark.parametrize("route", ["task", "item"])
def test_a_url_is_that_of_the_route_also_below_a_prefix(route):
    ids = [uuid.uuid4(), uuid.uuid4()]
    try:
        for prefix in ("/", "/below/", "/"):
            set_script_prefix(prefix)
            assert [page_url(route, id_) for id_ in ids] == [reverse(route, args=[id_]) for id_ in ids]
            assert page_url(route, ids[0]).startswith(prefix) and str(ids[0]) in page_url(route, ids[0])
    finally:
        clear_script_prefix()


def test_a_url_below_a_project_names_it():
    id_ = uuid.uuid4()
    for slug in ("news", "other"):
        assert page_url("inspect", id_, slug=slug) == reverse("inspect", args=[slug, id_])
