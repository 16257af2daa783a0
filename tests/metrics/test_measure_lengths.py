"""`measure --lengths`: whether the references are as long as their labels say, as the Statistics page tells it."""

import pytest

from annotation.services.people.projects import create_project
from annotation.services.sources.importing import import_file
from epitome.formats.options import ImportOptions
from tests.metrics.test_measure_command import as_object, measured
from tests.statistics.conftest import section_of, view_of

ANCHORS = {"macdoc": "79 of 133 anchors do not fit their label", "macdial": "70 of 129 anchors do not fit their label"}


@pytest.fixture(params=["macdoc", "macdial"])
def name(request):
    return request.param


@pytest.fixture
def file(shared, name):
    return shared / "data" / "macsum" / name / "val.json"


@pytest.mark.django_db
def test_the_tables_are_those_of_the_statistics_page(name, file):
    project = create_project(slug=name, schema=f"macsum-{name.removeprefix('mac')}")
    import_file(project=project, path=file, file_name="val.json", options=ImportOptions(with_references=True))
    view = view_of(project)
    lengths = as_object(file, "--lengths")["lengths"]
    assert lengths["schema"] == f"macsum-{name.removeprefix('mac')}"
    assert lengths["ratios"]["rows"] == section_of(view, "ratios")["table"]["rows"]
    ours, page = (table["rows"] for table in (lengths["anchors"], section_of(view, "anchors")["table"]))
    assert [row[:-1] for row in ours] == [row[:-1] for row in page]  # the last cell is a database's own id
    assert lengths["anchors"]["notes"] == section_of(view, "anchors")["table"]["notes"]


def test_modes_and_anchors_that_do_not_fit_are_printed(name, file):
    text = measured(file, "--lengths")
    assert ANCHORS[name] in text
    modes = "Marked segments, anchors: the label “normal” has 3 modes, at 5.2, 10.3 and 15.1 % (n = 133)."
    assert (modes in text) == (name == "macdoc")
    assert "Length against the guideline" not in measured(file)
