"""Splits by origin: whole origins, the same everywhere, crossings and near duplicates told."""

import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from annotation.models import Annotation, SourceDocument
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.exports.exporting import ExportOptions
from annotation.services.people.projects import create_project
from annotation.services.sources.near_duplicates import NearDuplicates, containment, words_of
from annotation.services.sources.splits import draw_splits, split_from
from tests.export import factories as make

ROOT = Path(__file__).resolve().parent.parent.parent
ORIGINS = [(f"origin-{i}", 1 + i % 3) for i in range(300)]
CODE = """
import random
from annotation.services.sources.splits import draw_splits
origins = [(f"origin-{i}", 1 + i % 3) for i in range(300)]
random.shuffle(origins)
found = draw_splits(seed=11, origins=origins)
print(found.cuts, "".join(found.of(f"origin-{i}", "")[1] for i in range(300)))
"""


def test_the_split_is_the_same_in_another_process_with_another_hash_seed_and_order():
    ours = draw_splits(seed=11, origins=ORIGINS)
    text = f"{ours.cuts} " + "".join(ours.of(f"origin-{i}", "")[1] for i in range(300))
    for hash_seed in ("1", "2"):
        code = "import django; django.setup()\n" + CODE
        env = {"PYTHONHASHSEED": hash_seed, "DJANGO_SETTINGS_MODULE": "epitome.site.settings", "PATH": ""}
        out = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=True
        )
        assert out.stdout.strip() == text


@pytest.mark.parametrize("n", [10, 11, 100, 300])
def test_shares_are_80_10_10_of_the_sources(n):
    origins = [(f"o{i}", 1) for i in range(n)]
    splits = draw_splits(seed=1, origins=origins)
    counts = Counter(splits.of(origin, "") for origin, _n in origins)
    assert abs(counts["train"] - 0.8 * n) <= 1
    assert abs(counts["dev"] - 0.1 * n) <= 1
    assert abs(counts["test"] - 0.1 * n) <= 1


def test_large_origins_count_by_their_sources():
    rng = random.Random(2)
    origins = [(f"o{i}", rng.choice([1, 1, 2, 30])) for i in range(400)]
    splits = draw_splits(seed=1, origins=origins)
    counts: Counter[str] = Counter()
    for origin, n in origins:
        counts[splits.of(origin, "")] += n
    total = counts.total()
    assert 0.78 < counts["train"] / total < 0.82
    assert 0.08 < counts["dev"] / total < 0.12


def test_another_seed_draws_another_split():
    first, second = (draw_splits(seed=seed, origins=ORIGINS) for seed in (1, 2))
    assert [first.of(origin, "") for origin, _n in ORIGINS] != [second.of(origin, "") for origin, _n in ORIGINS]


@pytest.mark.django_db
@pytest.mark.db_engine
def test_pieces_of_one_origin_stay_together_and_summaries_follow(tmp_path, django_user_model):
    project = make.create_project(slug="news", schema="macsum-doc")
    rows = [make.row(i, origin_id=f"meeting-{i // 2}", split="train") for i in range(60)]
    make.import_rows(project, tmp_path, rows)
    make.add_samples(SourceDocument.objects.order_by("pk")[7])
    make.write_one(project, make.make_person(project, "annotator1", django_user_model))
    path = make.export(project, tmp_path, split_seed=4)
    sources = {line["source_id"]: line for line in make.of_task(path, "source")}
    by_origin: dict[str, set[str]] = {}
    for line in sources.values():
        by_origin.setdefault(line["origin_id"], set()).add(line["split"])
    assert all(len(splits) == 1 for splits in by_origin.values())
    assert {line["split"] for line in sources.values()} == {"train", "dev", "test"}
    (summary,) = make.of_task(path, "summary")
    assert summary["split"] == sources[summary["source_id"]]["split"]
    other_splits = make.read_manifest(path)["splits"]
    assert (other_splits["by"], other_splits["seed"], other_splits["crossings"]) == (
        "origin",
        4,
        {"origins": 0, "listed": []},
    )
    assert {line["split"] for line in make.of_task(make.export(project, tmp_path), "source")} == {"train"}


@pytest.mark.django_db
@pytest.mark.db_engine
def test_origins_in_two_imported_splits_are_reported(tmp_path):
    project = make.create_project(slug="news", schema="macsum-doc")
    rows = [make.row(i, origin_id=f"m{i % 3}", split="dev" if i < 3 or i == 4 else "test") for i in range(6)]
    make.import_rows(project, tmp_path, rows)
    splits = make.read_manifest(make.export(project, tmp_path))["splits"]
    assert splits["crossings"] == {
        "origins": 2,
        "listed": [{"origin_id": "m0", "splits": ["dev", "test"]}, {"origin_id": "m2", "splits": ["dev", "test"]}],
    }


def sentence(rng: random.Random) -> str:
    return " ".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=12)) + "."


@pytest.mark.django_db
def test_near_duplicates_in_different_splits_are_found(tmp_path):
    rng = random.Random(5)
    project = make.create_project(slug="news", schema="macsum-doc")
    texts = [" ".join(sentence(rng) for _ in range(20)) for _ in range(30)]
    texts[25] = texts[3] + " " + sentence(rng)
    texts[26] = " ".join(texts[4].split(". ")[:8]) + "."
    make.import_rows(project, tmp_path, [make.row(i, text) for i, text in enumerate(texts)])
    near_duplicates = make.read_manifest(make.export(project, tmp_path, split_seed=0))["splits"]["near_duplicates"]
    splits = {line["source_id"]: line["split"] for line in make.of_task(tmp_path / "out.jsonl", "source")}
    expected = {
        frozenset(pair) for pair in (("doc-3", "doc-25"), ("doc-4", "doc-26")) if splits[pair[0]] != splits[pair[1]]
    }
    assert {frozenset(row["sources"]) for row in near_duplicates["listed"]} == expected
    assert near_duplicates["pairs"] == len(expected)


@pytest.mark.django_db
def test_near_duplicates_of_one_origin_or_split_are_no_fault(tmp_path):
    rng = random.Random(6)
    project = make.create_project(slug="news", schema="macsum-doc")
    text = " ".join(sentence(rng) for _ in range(20))
    make.import_rows(project, tmp_path, [make.row(i, text) for i in range(3)])
    ids = list(SourceDocument.objects.order_by("pk").values_list("pk", flat=True))
    segments = [{"speaker": "", "text": text}]
    near = NearDuplicates()
    near.add(document_id=ids[0], origin_id="a", split="train", segments=segments)
    near.add(document_id=ids[1], origin_id="a", split="test", segments=segments)
    near.add(document_id=ids[2], origin_id="b", split="test", segments=segments)
    assert [row["sources"] for row in near.report()["listed"]] == [["doc-0", "doc-2"]]


def test_containment_is_the_share_of_the_shorter_text():
    rng = random.Random(7)
    words = [" ".join(rng.choices("abcdefghij", k=40)) for _ in range(2)]
    first, second = (words_of([{"text": text}]) for text in words)
    assert containment(first, first) == 1
    assert containment(first, first + second) == 1
    assert containment(first, second) < 0.2
    assert containment([], first) == 0


def test_the_sketch_is_thinned_and_still_finds_copies(monkeypatch):
    monkeypatch.setattr("annotation.services.sources.near_duplicates.MAX_KEPT", 500)
    rng = random.Random(8)
    near = NearDuplicates()
    vocabulary = [f"w{i}" for i in range(500)]
    texts = [" ".join(rng.choices(vocabulary, k=400)) for _ in range(40)]
    for number, text in enumerate([*texts, texts[0]]):
        near.add(document_id=number, origin_id=f"o{number}", split="ab"[number % 2 if number < 40 else 1],
                 segments=[{"text": text}])  # fmt: skip
    assert near.part > 8
    assert len(near.kept) <= 500
    assert list(near.shared_runs()) == [(0, 40)]


@pytest.mark.django_db
def test_no_annotation_no_trouble(tmp_path):
    project = make.create_project(slug="empty", schema="macsum-doc")
    for format in ("jsonl", "macsum", "parquet"):
        path = make.export(project, tmp_path, f"out.{format}", format=format, split_seed=1)
        assert make.read_manifest(path)["counts"]["sources"] == 0
    assert not Annotation.objects.exists()


@pytest.mark.parametrize("shares", [(60, 20, 20), (50, 25, 25), (100, 0, 0), (1, 0, 99)])
def test_shares_of_ones_own(shares):
    origins = [(f"o{i}", 1) for i in range(1000)]
    splits = draw_splits(seed=1, origins=origins, shares=shares)
    counts = Counter(splits.of(origin, "") for origin, _n in origins)
    assert [counts[name] for name in ("train", "dev", "test")] == [10 * share for share in shares]
    assert split_from(splits.as_dict()) == splits


def test_an_export_takes_the_schemas_shares_or_its_own(tmp_path, db):
    project = create_project(slug="papers", schema="ccsbench")
    make.import_rows(project, tmp_path, [make.row(i, origin_id=f"o{i}") for i in range(10)])
    manifest = make.read_manifest(make.export(project, tmp_path, split="origin"))
    assert manifest["splits"]["shares"] == {"train": 0.6, "dev": 0.2, "test": 0.2}
    path = make.export(project, tmp_path, shares=(50, 20, 30), release="v1")
    assert Counter(line["split"] for line in make.of_task(path, "source")) == {"train": 5, "dev": 2, "test": 3}
    again = make.export(project, tmp_path, "again.jsonl", release="v1")
    assert again.read_bytes() == path.read_bytes()
    with pytest.raises(Conflict) as refused:
        make.export(project, tmp_path, "other.jsonl", release="v1", shares=(60, 20, 20))
    assert refused.value.field == "shares"


@pytest.mark.parametrize(
    "shares", [(50, 50), (50, 60, -10), (0, 50, 50), (80, 10, 9), (80.0, 10.0, 10.0), (True, 49, 50), "60,20,20"]
)
def test_shares_that_cannot_be_are_refused(shares):
    with pytest.raises(BadInput) as refused:
        ExportOptions(shares=shares).check()
    assert refused.value.field == "shares"
    with pytest.raises(BadInput):
        ExportOptions(shares=(80, 10, 10), split="keep").check()
