"""Input that `measure` cannot take: exit code 1, nothing on stdout, one short line with the file and the place."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.metrics.macsum_small import entries, write

WHOLE = json.dumps(entries())
FIRST = ("references", 0)
CONTROL = (*FIRST, "control_attribute")


def changed(path: tuple[str | int, ...], value: object = ...) -> list:
    """The entries with one value of the second one changed, or taken out."""
    result = entries()
    holder = result[1]
    for step in path[:-1]:
        holder = holder[step]
    if value is ...:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return result


def refusal(capsys, *words: object) -> str:
    """The one line that is written, as manage.py writes it."""
    with pytest.raises(CommandError) as caught:
        call_command("measure", *map(str, words))
    line = f"CommandError: {caught.value}"
    assert caught.value.returncode == 1
    assert len(line) <= 500
    assert line.isprintable()
    result = capsys.readouterr()
    assert (result.out, result.err) == ("", "")
    return line


BROKEN = {
    "empty": (b"", "line 1"),
    "blank": (b"  \n\n ", "line 1"),
    "no entries": ("[]", "holds no sample"),
    "no samples": ([{**entries()[0], "references": []}], "holds no sample"),
    "cut in a string": (WHOLE[:200], "line 1"),
    "cut after an entry": (json.dumps(entries()[:1])[:-1], "line 1"),
    "not JSON": ("samples: 3", "line 1, column 1"),
    "not UTF-8": (WHOLE.encode().replace(b"Nothing", b"\xff\xfeNot"), "line 1, column"),
    "UTF-16": (WHOLE.encode("utf-16-le"), "UTF-16"),
    "NUL": (WHOLE.replace("Nothing", "\\u0000"), "NUL"),
    "half a surrogate": (WHOLE.replace("Nothing", "\\ud83d"), "surrogate"),
    "NaN": (WHOLE.replace('"file_id": 2', '"file_id": NaN'), "NaN"),
    "infinite": (WHOLE.replace('"file_id": 2', '"file_id": 1e999'), "too large"),
    "5,000 digits": (WHOLE.replace('"file_id": 2', '"file_id": ' + "9" * 5000), "5,000 digits"),
    "float as id": (changed(("metadata", "file_id"), 1e300), "metadata.file_id"),
    "key twice": (WHOLE.replace('"file_id": 2', '"file_id": 2, "file_id": 3'), "file_id"),
    "deep": ("[" * 100_000, "line 1"),
    "deep inside": (changed(("extra",), json.loads("[" * 200 + "]" * 200)), "64 levels"),
    "a list of texts": (["one", "two"], "line 1"),
    "one text": ('"text"', "line 1"),
    "metadata missing": (changed(("metadata",)), "metadata"),
    "dataset missing": (changed(("metadata", "dataset")), "metadata.dataset"),
    "source missing": (changed(("source",)), "source"),
    "source a text": (changed(("source",), "text"), "source"),
    "source of numbers": (changed(("source", 0), 5), "source[0]"),
    "source empty": (changed(("source",), []), "source"),
    "references missing": (changed(("references",)), "references"),
    "references null": (changed(("references",), None), "references"),
    "reference a text": (changed(FIRST, "text"), "references[0]"),
    "summary missing": (changed((*FIRST, "summary")), "references[0].summary"),
    "summary null": (changed((*FIRST, "summary"), None), "references[0].summary"),
    "summary endless": (changed((*FIRST, "summary"), "a " * 60_000), "120,000 characters"),
    "title a number": (changed((*FIRST, "title"), 7), "references[0].title"),
    "attributes missing": (changed(CONTROL), "references[0].control_attribute"),
    "attributes a list": (changed(CONTROL, ["short"]), "references[0].control_attribute"),
    "length missing": (changed((*CONTROL, "length")), "control_attribute.length"),
    "specificity missing": (changed((*CONTROL, "specificity")), "control_attribute.specificity"),
    "topic missing in one": (changed((*CONTROL, "topic")), "control_attribute.topic"),
    "unknown value": (changed((*CONTROL, "length"), "endless"), "endless"),
    "value a number": (changed((*CONTROL, "extractiveness"), 3), "control_attribute.extractiveness"),
    "topic an object": (changed((*CONTROL, "topic"), {"a": 1}), "control_attribute.topic"),
    "span a text": (changed((*FIRST, "relevant_turns"), ["1"]), "relevant_turns[0]"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_refused_with_its_place(case, tmp_path, capsys):
    content, place = BROKEN[case]
    line = refusal(capsys, write(tmp_path, content, "broken.json"), "--json")
    assert line.startswith("CommandError: broken.json")
    assert place in line


def test_a_folder_and_a_missing_file_are_refused(tmp_path, capsys):
    assert "Is a directory" in refusal(capsys, tmp_path)
    assert "nothing.json: cannot be read: No such file" in refusal(capsys, tmp_path / "nothing.json")
    sound = write(tmp_path, entries())
    assert "none.jsonl: cannot be read" in refusal(capsys, sound, "--predictions", tmp_path / "none.jsonl")


def lines(*values: str) -> str:
    return "".join(f"{value}\n" for value in values)


SOUND = ['"a summary"'] * 6
REST = ("1#2", "2#0", "2#1", "2#2")
BROKEN_PREDICTIONS = {
    "one too few": (lines(*SOUND[:5]), "holds 5 predictions, but small.json has 6 samples"),
    "one too many": (lines(*SOUND, '""'), "holds 7 predictions, but small.json has 6 samples"),
    "empty": (b"", "holds 0 predictions, but small.json has 6 samples"),
    "blank line": (lines(*SOUND[:3], "", *SOUND[3:]), "line 4"),
    "number": (lines(*SOUND[:2], "5", *SOUND[3:]), "line 3"),
    "null": (lines(*SOUND[:2], '{"prediction": null}', *SOUND[3:]), "line 3, column 16, prediction"),
    "other key": (lines('{"text": "a"}', *SOUND[1:]), "line 1, column 1, prediction: is missing"),
    "list": (lines("[" + ",".join(SOUND) + "]"), "line 1"),
    "cut": (lines(*SOUND[:5]) + '"a sum', "line 6"),
    "not UTF-8": (lines(*SOUND[:5]).encode() + b'"\xff"', "line 6"),
    "half a surrogate": (lines(*SOUND[:5], '"\\udc00"'), "line 6"),
    "NaN": (lines(*SOUND[:5], '{"prediction": "a", "score": NaN}'), "line 6"),
    "deep": (lines(*SOUND[:5], "[" * 100_000), "line 6"),
    "endless": (lines(*SOUND[:5], json.dumps("a" * 100_001)), "100,001 characters"),
    "a line too long": (lines(*SOUND[:5], json.dumps("a" * 5_000_001)), "5,000,000 bytes"),
    "other order": (
        lines(*(json.dumps({"prediction": "a", "sample_id": f"own-test-{place}"}) for place in ("1#1", "1#0", *REST))),
        "line 1, column 34, sample_id: stands where own-test-1#0 is due",
    ),
}


@pytest.mark.parametrize("case", BROKEN_PREDICTIONS)
def test_broken_predictions_are_refused_with_their_place(case, tmp_path, capsys):
    content, place = BROKEN_PREDICTIONS[case]
    file, texts = write(tmp_path, entries()), write(tmp_path, content, "texts.jsonl")
    line = refusal(capsys, file, "--predictions", texts)
    assert line.startswith("CommandError: texts.jsonl")
    assert place in line


def test_ids_of_another_numbering_are_no_fault(tmp_path):
    texts = write(tmp_path, lines(*(json.dumps({"prediction": "a", "sample_id": str(n)}) for n in range(6))), "t.jsonl")
    call_command("measure", str(write(tmp_path, entries())), "--predictions", str(texts), "--json")


def test_a_long_or_strange_file_name_stays_one_short_line(tmp_path, capsys):
    for name in ("n" * 240, "two\nlines\u202e.json"):
        refusal(capsys, write(tmp_path, "[", name))


@pytest.mark.parametrize("marked", [b"\xef\xbb\xbf", b""])
def test_a_byte_order_mark_and_json_lines_are_no_fault(marked, tmp_path: Path):
    text = "".join(json.dumps(entry) + "\r\n" for entry in entries())
    call_command("measure", str(write(tmp_path, marked + text.encode())), "--json")


@pytest.mark.parametrize("column", ["attribute:length", "size"])
def test_a_table_without_an_attribute_column_says_how_to_name_one(capsys, tmp_path, column):
    rows = f"id,text,{column},summary\na,A text of a town.,short,A town.\nb,A text of rivers.,long,Rivers.\n"
    file = write(tmp_path, rows, "table.csv")
    call_command("measure", str(file), "--preset", "macsum-doc")
    shown = capsys.readouterr().out
    assert "No column asks for anything, so there is no CER and no CC." in shown
    assert f"attribute:KEY=COLUMN. Not read: {column}." in shown
    named = f"id=id,text=text,summary=summary,attribute:length={column}"
    call_command("measure", str(file), "--preset", "macsum-doc", "--map", named)
    assert "Length Short" in capsys.readouterr().out


def test_an_export_that_requests_nothing_measurable_is_refused(capsys, tmp_path):
    rows = [{**row, "references": [{**r, "control_attribute": {}} for r in row["references"]]} for row in entries()]
    line = refusal(capsys, write(tmp_path, rows, "list.json"), "--preset", "ccsbench")
    assert "list.json: no sample requests an attribute that has a measure: length" in line
