"""Papers become sources with their abstract as human summary; what is left out is counted with its reason."""

import json

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Annotation, SourceDocument
from annotation.services.people.projects import create_project
from modelbridge.services.runs.references import references_of

pytestmark = pytest.mark.django_db


def entry(key, *, introduction="Introduction", conclusion="Conclusion", **more):
    sections = [
        {"title": introduction, "text": f"Paper {key} begins. It goes on."},
        {"title": "Method", "text": "We count."},
        {"title": conclusion, "text": "It ends. Really."},
    ]
    return {"id": key, "title": f"Paper {key}", "abstract": f"About {key}.", "sections": sections, **more}


@pytest.fixture
def project():
    return create_project(slug="papers", schema="ccsbench")


@pytest.fixture
def run(tmp_path, capsys):
    def call(rows, *options, name="papers.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        call_command("import_papers", "papers", str(path), *options)
        return capsys.readouterr().out

    return call


def test_introduction_and_conclusion_are_the_source_and_the_abstract_its_summary(project, run):
    data = json.loads(run([entry("a", keywords=["bridge"], categories=["cs.CL"])], "--json", "--licence", "CC BY 4.0"))
    assert (data["read"], data["left_out"], data["import"]["stored"], data["without_keywords"]) == (1, {}, 1, 0)
    document = SourceDocument.objects.get()
    texts = [segment["text"] for segment in document.source_text.segments]
    assert texts == ["Paper a begins.", "It goes on.", "It ends.", "Really."]
    assert document.metadata["parts"] == {"introduction": [0, 1], "conclusion": [2, 3]}
    assert (document.metadata["keywords"], document.metadata["abstract"]) == (["bridge"], "About a.")
    assert document.licence == "CC BY 4.0"
    assert next(iter(references_of(project).values()))[1] == "About a."
    assert Annotation.objects.get().sample.values == {}  # nothing was asked for: no attribute is there


def test_what_is_left_out_is_counted_with_its_reason(project, run):
    rows = [
        entry("a", categories=["cs.CL"]),
        entry("b", introduction="Background", categories=["cs.CL"]),
        entry("c", conclusion="Results", categories=["cs.LG"]),
        {**entry("d", categories=["cs.LG"]), "abstract": ""},
        entry("e", categories=["math.NT"]),
    ]
    completed = run(rows, "--categories", "cs.*, stat.ML")
    assert completed.splitlines()[0] == "5 papers read, 1 stored"
    for line in (
        "1 left out: no introduction; such as papers.jsonl, line 2 (b)",
        "1 left out: no conclusion",
        "1 left out: no abstract",
        "1 left out: category",
        "1 without keywords",
    ):
        assert line in completed
    assert SourceDocument.objects.get().external_id == "a"


def test_a_seeded_sample_depends_on_the_ids_alone(project, run):
    rows = [entry(f"p{number}") for number in range(20)]
    first = json.loads(run(rows, "--sample", "5", "--seed", "3", "--json", "--dry-run"))
    assert (first["not_drawn"], SourceDocument.objects.count()) == (15, 0)
    run(rows, "--sample", "5", "--seed", "3")
    drawn = set(SourceDocument.objects.values_list("external_id", flat=True))
    assert len(drawn) == 5
    run(rows[::-1], "--sample", "5", "--seed", "3", name="again.jsonl")
    assert set(SourceDocument.objects.values_list("external_id", flat=True)) == drawn


def test_refusals_name_the_file_and_the_place(project, run):
    with pytest.raises(CommandError, match=r"Two papers have the id a: papers.jsonl, line 1 and papers.jsonl, line 2"):
        run([entry("a"), entry("a")])
    with pytest.raises(CommandError, match="No paper is left to import: 1 × no section is titled introduction"):
        run([entry("a", introduction="Start")])
    with pytest.raises(
        CommandError, match=r"No paper is left to import: 1 × papers\.jsonl, line 1: has no list of sections"
    ):
        run([{"id": "b"}])
    assert not SourceDocument.objects.exists()


def test_a_paper_that_cannot_be_read_does_not_stop_the_others(project, run, tmp_path, capsys):
    bad = tmp_path / "bad.tex"
    bad.write_bytes("\\section{Introduction} Fürth".encode("latin-1"))
    odd = tmp_path / "odd.tex"
    odd.write_text(
        r"\begin{abstract}A.\end{abstract}\section{Introduction}We \odd{count}.\input{x}\section{Conclusion}It ends."
    )
    good = tmp_path / "good.jsonl"
    good.write_text(json.dumps(entry("a")) + "\n" + json.dumps({"id": "b"}) + "\n")
    call_command("import_papers", "papers", str(bad), str(odd), str(good))
    said = capsys.readouterr().out
    assert "4 papers read, 2 stored" in said
    assert "2 left out: cannot be read; such as bad.tex: line 1 is not UTF-8" in said
    assert "good.jsonl, line 2: has no list of sections" in said
    assert "not read: 1 x files that it includes" in said and r"not read: 1 x unknown macro \odd" in said
    assert set(SourceDocument.objects.values_list("external_id", flat=True)) == {"a", "odd"}
