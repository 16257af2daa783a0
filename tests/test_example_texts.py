"""The bundled example texts: enough of them, well formed, licensed, and packed with the program."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from annotation.example import make_notices, make_walks
from epitome.schema import load_preset

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "annotation" / "example"
FILES = ("documents.jsonl", "meetings.jsonl")
NOTICES = tuple(make_notices.file_for_split(split).name for split in ("train", "dev"))
WALKS = tuple(make_walks.file_for_split(split).name for split in make_walks.N_WALKS)


def read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").split("\n") if line]


def words(source: dict[str, Any]) -> int:
    return sum(len(segment["text"].split()) for segment in source["segments"])


def test_documents_are_enough_and_of_article_length() -> None:
    documents = read("documents.jsonl")
    assert len(documents) >= 6
    for document in documents:
        assert 400 <= words(document) <= 900, document["id"]
        assert 20 <= len(document["segments"]) <= 45, document["id"]
        assert {segment["speaker"] for segment in document["segments"]} == {""}, document["id"]


def test_meetings_are_enough_long_and_have_several_speakers() -> None:
    meetings = read("meetings.jsonl")
    assert len(meetings) == 3
    for meeting in meetings:
        assert 60 <= len(meeting["segments"]) <= 90, meeting["id"]
        assert 900 <= words(meeting) <= 1600, meeting["id"]
        turns = [segment["speaker"] for segment in meeting["segments"]]
        assert 4 <= len(set(turns)) <= 6, meeting["id"]
        # A speaker heard once or twice would be a slip in a name.
        assert min(turns.count(speaker) for speaker in set(turns)) >= 5, meeting["id"]


def test_ids_and_titles_are_unique_over_both_files() -> None:
    sources = [source for name in FILES for source in read(name)]
    for field in ("id", "origin_id", "title"):
        assert len({source[field] for source in sources}) == len(sources), field


@pytest.mark.parametrize("name", FILES)
def test_every_text_is_clean_and_every_source_licensed(name: str) -> None:
    for source in read(name):
        assert source["licence"] == "CC0-1.0" and source["may_release_text"] is True, source["id"]
        assert source["metadata"]["subject"], source["id"]
        for number, segment in enumerate(source["segments"], start=1):
            where = f"{source['id']} segment {number}"
            assert set(segment) == {"speaker", "text"}, where
            # One run of single blanks: no empty text, no blank at an end, no line break, no double space.
            assert segment["text"] and segment["text"] == " ".join(segment["text"].split()), where
            assert segment["speaker"] == segment["speaker"].strip(), where


def test_the_texts_hold_more_than_ascii() -> None:
    text = "".join((FOLDER / name).read_text(encoding="utf-8") for name in FILES)
    for character in "“”–é€£":
        assert character in text, f"no {character} left in the example texts"


def test_the_folder_carries_its_dedication_and_is_packed() -> None:
    assert "CC0 1.0 Universal" in (FOLDER / "LICENSE-CC0.txt").read_text(encoding="utf-8")
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = settings["tool"]["setuptools"]["package-data"]["epitome.apps.annotation"]
    packed = {path.name for pattern in patterns for path in (ROOT / "annotation").glob(pattern)}
    assert {*FILES, *WALKS, *NOTICES, "README.md", "LICENSE-CC0.txt"} <= packed


def test_the_walks_are_those_of_their_rule_and_none_is_in_two_splits(tmp_path: Path, monkeypatch: Any) -> None:
    by_key = {name: (FOLDER / name).read_bytes() for name in WALKS}
    monkeypatch.setattr(make_walks, "FOLDER", tmp_path)
    make_walks.main()

    assert {name: (tmp_path / name).read_bytes() for name in WALKS} == by_key
    assert sum(map(len, by_key.values())) < 300_000
    walks = [" ".join(entry["source"]) for text in by_key.values() for entry in json.loads(text)]
    assert len(set(walks)) == len(walks)


def test_every_notice_is_short_and_its_summaries_have_the_length_asked_for() -> None:
    schema = load_preset(make_notices.PRESET)
    for notice in make_notices.read_notices():
        text = " ".join(notice["sentences"])
        assert 60 <= len(text.split()) <= 160, notice["id"]
        assert all(topic in text.casefold() for topic in notice["topics"]), notice["id"]
        for length, summary in notice["summaries"].items():
            low, high = schema.find("length").band_words(length, 0)
            assert low <= len(summary.split()) <= high, (notice["id"], length)


def test_the_notices_of_a_training_are_made_of_these_texts_and_in_one_split() -> None:
    notices = {notice["title"]: notice for notice in make_notices.read_notices()}
    by_source = {" ".join(notice["sentences"]): notice for notice in notices.values()}
    entries = [entry for name in NOTICES for entry in json.loads((FOLDER / name).read_text(encoding="utf-8"))]
    assert sorted(" ".join(entry["source"]) for entry in entries) == sorted(by_source)
    for entry in entries:
        notice = by_source[" ".join(entry["source"])]
        requests = {tuple(row["control_attribute"].items()) for row in entry["references"]}
        assert len(requests) == len(entry["references"]) == 3 + len(make_notices.EXTRACTS)
        assert {row["summary"] for row in entry["references"][:3]} == set(notice["summaries"].values())
