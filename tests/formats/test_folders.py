"""Folders as Hugging Face's `datasets` leaves them, read by the command as one file."""

import json

import pytest
from django.core.management import CommandError, call_command

from annotation.models import SourceDocument
from annotation.services.people.projects import create_project
from epitome.formats.folders import FolderFault, list_tables

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def columns(*ids):
    return pyarrow.table({"id": list(ids), "article": [f"The council met about {id_}. It voted." for id_ in ids]})


def save_to_disk(folder, table, split=None):
    """What Dataset.save_to_disk writes."""
    folder.mkdir(parents=True)
    with pyarrow.ipc.new_stream(folder / "data-00000-of-00001.arrow", table.schema) as out:
        out.write_table(table)
    (folder / "dataset_info.json").write_text(json.dumps({"features": {"id": {"dtype": "string"}}}))
    (folder / "state.json").write_text(json.dumps({"_data_files": [], "_split": split}))


@pytest.fixture
def news(db):
    return create_project(slug="news", schema="macsum-doc")


def splits(project):
    rows = SourceDocument.objects.filter(project=project).order_by("external_id")
    return list(rows.values_list("external_id", "split"))


def test_a_saved_dataset_dict_is_previewed_and_imported_with_its_splits(news, tmp_path, capsys):
    for split, ids in (("train", "ab"), ("validation", "c"), ("test", "d")):
        save_to_disk(tmp_path / "talks" / split, columns(*ids), split)
    (tmp_path / "talks" / "dataset_dict.json").write_text('{"splits": ["train", "validation", "test"]}')

    call_command("import_sources", "news", str(tmp_path / "talks"), preview=True)
    out = capsys.readouterr().out
    assert "article -> text" in out and "The council met about" in out and "dtype" not in out
    assert not SourceDocument.objects.exists()

    call_command("import_sources", "news", str(tmp_path / "talks"), map=["auto"])
    assert splits(news) == [("a", "train"), ("b", "train"), ("c", "dev"), ("d", "test")]


def test_one_saved_split_says_which_it_is(news, tmp_path):
    save_to_disk(tmp_path / "talks", columns("a"), "validation")
    (tmp_path / "talks" / "cache-0123.arrow").write_bytes(b"no table")

    call_command("import_sources", "news", str(tmp_path / "talks"), map=["auto"])
    assert splits(news) == [("a", "dev")]


def test_parquet_shards_are_imported_together(news, tmp_path):
    (tmp_path / "data").mkdir()
    for number, ids in enumerate(("ab", "cd")):
        parquet.write_table(columns(*ids), tmp_path / "data" / f"train-{number:05}-of-00002.parquet")
    (tmp_path / "README.md").write_text("# Not a source")

    call_command("import_sources", "news", str(tmp_path), map=["auto"])
    assert splits(news) == [(character, "train") for character in "abcd"]


def test_a_folder_without_tables_is_refused_in_one_line(news, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(FolderFault):
        list_tables(tmp_path / "empty")
    with pytest.raises(CommandError, match="empty: holds no table and no text"):
        call_command("import_sources", "news", str(tmp_path / "empty"))
