"""Export as JSON lines, and import of that file and of sets made elsewhere."""

import json

import pytest

from annotation.models import Annotation, Contrastive, ContrastiveSet, SourceDocument
from annotation.services.contrastives import exporting, importing, making, sets
from annotation.services.contrastives.importing import ContrastivesRefused
from annotation.services.core.errors import Conflict
from epitome.formats.reading import input_file
from tests.contrastives.factories import GOLDS, make_gold_project, store_contrastives

pytestmark = pytest.mark.django_db
KEPT = ("rule", "text", "edits", "from_source", "state")


def write_lines(folder, *lines):
    path = folder / "set.jsonl"
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return input_file(path)


def read_lines(project):
    return [json.loads(line) for line in b"".join(exporting.export_lines(project)).splitlines()]


def list_values(project):
    return list(
        Contrastive.objects.filter(project=project).order_by("annotation__sample__position", "pk").values(*KEPT)
    )


def test_a_line_names_its_tuple_gold_and_edits(tmp_path):
    project = make_gold_project()
    store_contrastives(project)
    SourceDocument.objects.filter(project=project).update(split="test")
    assert exporting.export_to(project=project, path=tmp_path / "c.jsonl") == 6
    first = json.loads((tmp_path / "c.jsonl").read_text().splitlines()[0])
    gold = "Police arrested two men after they robbed a bank in Rome."
    assert first.pop("tuple").startswith("news-0#0:")
    assert first == {
        "format": "epitome-contrastives-1",
        "task": "contrastive",
        "project": "news",
        "source_id": "news-0",
        "sample_id": "news-0#0",
        "split": "test",
        "gold": gold,
        "rule": "S-N",
        "text": gold.replace("Police", "Word0"),
        "edits": [{"start": 0, "end": 6, "was": "Police", "now": "Word0"}],
        "from_source": None,
        "state": "active",
        "seed": None,
        "generator": "import",
    }


def test_an_exported_set_comes_back_in_another_project_with_the_same_sources(tmp_path):
    project, other = make_gold_project(), make_gold_project("other")
    SourceDocument.objects.update(external_id="same")
    making.make_contrastives(project=project)
    excluded = Contrastive.objects.filter(project=project).first()
    Contrastive.objects.filter(pk=excluded.pk).update(state="excluded")
    exporting.export_to(project=project, path=tmp_path / "c.jsonl")
    counts = importing.import_contrastives(project=other, file=input_file(tmp_path / "c.jsonl"))
    assert list_values(other) == list_values(project)
    assert counts["examples"] == len(list_values(project)) and counts["derived"] == 0
    current = sets.find_current_set(other)
    assert (current.origin, current.file_name, current.golds) == ("import", "c.jsonl", 2)


def test_the_same_gold_twice_for_one_sample_are_two_tuples(tmp_path):
    project = make_gold_project(golds=GOLDS[:1])
    gold = Annotation.objects.get(project=project)
    Annotation.objects.create(
        **{name: getattr(gold, name) for name in ("project", "sample", "payload", "schema_version", "created_at")},
        origin="restored",
    )
    store_contrastives(project)
    lines = read_lines(project)
    keys = [line["tuple"] for line in lines]
    assert keys[0] == keys[1] and keys[2:] == [f"{keys[0]}.2"] * 2
    file = write_lines(tmp_path, *lines)
    assert importing.import_contrastives(project=project, file=file, replace=True)["golds"] == 2


def test_texts_of_rejected_and_left_out_golds_are_not_exported():
    project = make_gold_project()
    store_contrastives(project)
    gold = Annotation.objects.filter(project=project).first()
    Contrastive.objects.filter(annotation=gold).update(state="withdrawn", text="")
    assert {line["sample_id"] for line in read_lines(project)} == {"news-0#1", "news-0#2"}
    gold.sample.document.__class__.objects.update(damaged=True)
    assert read_lines(project) == []


def test_a_set_made_elsewhere_needs_only_texts_and_rules(tmp_path):
    project = make_gold_project()
    file = write_lines(
        tmp_path,
        {"sample_id": "news-0#1", "rule": "G-N", "text": "a judge praised young OFFICER judges."},
        {"source_id": "news-0", "gold": "robbery", "rule": "S-N", "text": "strike"},
        {"sample_id": "news-0#1", "rule": "S-V", "text": "A judge arrested young officers."},
    )
    counts = importing.import_contrastives(project=project, file=file)
    assert counts == {"golds": 2, "examples": 3, "derived": 3, "rules": {"G-N": 1, "S-N": 1, "S-V": 1}}
    rows = list_values(project)
    assert [row["text"] for row in rows] == [
        "A judge praised young OFFICER judges.",
        "A judge arrested young officers.",
        "strike",
    ]
    assert rows[1]["edits"] == [{"start": 8, "end": 15, "was": "praised", "now": "arrested"}]


GOOD = {"sample_id": "news-0#1", "rule": "S-V", "text": "A judge arrested young officers."}


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("nonsense", "line 2"),
        ({**GOOD, "rule": "X-N"}, "line 2, column 35, rule"),
        ({**GOOD, "text": ""}, "is empty"),
        ({**GOOD, "sample_id": "news-0#9"}, "has no gold summary"),
        ({**GOOD, "sample_id": None, "source_id": "news-0"}, "has 3 gold summaries"),
        ({**GOOD, "sample_id": None}, "give tuple"),
        ({**GOOD, "tuple": "news-0#1:000"}, "names no gold"),
        ({**GOOD, "gold": "Robbery"}, "is no gold summary there"),
        ({**GOOD, "text": "A judge praised young officers."}, "equals the gold"),
        ({**GOOD, "text": "The jury freed every thief, and left."}, "one or two"),
        (GOOD, "same text as line 1"),
        ({**GOOD, "text": "A judge saw", "edits": [{"start": 0, "end": 1, "was": "B", "now": "x"}]}, "has 'A' there"),
        ({**GOOD, "text": "A judge saw", "edits": [{"start": 2, "end": 7, "was": "judge", "now": "x"}]}, "with these"),
        ({**GOOD, "edits": [{"start": 2}]}, "end"),
        ({**GOOD, "state": "gone"}, "state"),
        ({**GOOD, "task": "summary"}, "task"),
    ],
)
def test_every_fault_names_its_line_and_nothing_is_stored(tmp_path, line, why):
    project = make_gold_project()
    with pytest.raises(ContrastivesRefused, match=r"set\.jsonl, line 2") as caught:
        importing.import_contrastives(project=project, file=write_lines(tmp_path, GOOD, line))
    assert why in str(caught.value.faults[0])
    assert not Contrastive.objects.exists() and not ContrastiveSet.objects.exists()


def test_all_faults_are_listed_up_to_a_hundred(tmp_path):
    project = make_gold_project()
    with pytest.raises(ContrastivesRefused) as caught:
        importing.import_contrastives(project=project, file=write_lines(tmp_path, *["{}"] * 120))
    assert [fault.line for fault in caught.value.faults] == list(range(1, 101))


def test_an_empty_file_is_refused(tmp_path):
    with pytest.raises(ContrastivesRefused, match="holds no record"):
        importing.import_contrastives(project=make_gold_project(), file=write_lines(tmp_path))


def test_other_examples_are_replaced_only_if_asked(tmp_path):
    project = make_gold_project()
    store_contrastives(project)
    file = write_lines(tmp_path, GOOD)
    with pytest.raises(Conflict, match="made otherwise"):
        importing.import_contrastives(project=project, file=file)
    assert importing.import_contrastives(project=project, file=file, replace=True, dry_run=True)["examples"] == 1
    assert Contrastive.objects.filter(project=project).count() == 6
    importing.import_contrastives(project=project, file=file, replace=True)
    assert [row["text"] for row in list_values(project)] == [GOOD["text"]]
