"""A stranger's first hour: from an own file to the first summary that is written, with every click counted."""

import pytest

from annotation.models import Annotation, Sample, SourceDocument
from tests.browser.conftest import DESK, PHONE
from tests.browser.task_steps import SUMMARY
from tests.browser.walks import (
    Walk,
    admin,  # noqa: F401  a fixture
    draw,
    import_file,
    make_csv,
    make_document,
    make_workbook,
    make_zip_of_documents,
    write_first,
)

MOST_CLICKS = 20


@pytest.mark.parametrize(
    ("make_file", "sources", "references", "options"),
    [
        (make_csv, 10, 0, {}),
        (make_workbook, 10, 10, {"viewport": PHONE}),
        (make_zip_of_documents, 10, 0, {"color_scheme": "dark"}),
        (make_document, 1, 0, {}),
    ],
    ids=["csv", "excel with summaries, phone", "zip of Word documents, dark", "one long Word document"],
)
def test_from_an_own_file_to_the_first_summary(open_page, admin, tmp_path, make_file, sources, references, options):  # noqa: F811
    page = open_page(admin, "/", **options)
    walk = Walk(page)

    import_file(walk, make_file(tmp_path), is_long=make_file is make_document)
    assert SourceDocument.objects.count() == sources
    assert Sample.objects.references().count() == references
    draw(walk)
    page.set_viewport_size(DESK)  # test_whole_hour.py writes on a phone
    write_first(walk)

    assert Annotation.objects.exclude(origin=Annotation.Origin.IMPORT).get().payload["summary"] == SUMMARY
    assert walk.n <= MOST_CLICKS, walk.n
