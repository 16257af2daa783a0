"""What columns are guessed to be: several of summaries, texts in pieces, turns, texts of systems, and what is in
doubt."""

import json
from collections import Counter

import pytest

from epitome.formats.guess import asks_for_speakers, build_attribute_tests, guess_columns
from epitome.formats.options import ImportOptions
from epitome.formats.reading import input_file
from epitome.formats.registry import FORMATS, detect_format
from epitome.formats.sources import read_sources
from epitome.formats.translated_names import TRANSLATED_NAMES, list_names
from epitome.schema import load_preset
from tests.formats.helpers import records, rows, text_of, write

TEXT = "The harbour board met on Monday and agreed to widen the north pier."
OTHER = "A bakery in the old town closed after forty years of baking bread."
SUMMARY, SECOND = "The pier is widened.", "The board widens a pier."
TALK = "#Person1#: Is the pier open today?\n#Person2#: No, it is closed.\nWe could walk.\n#Person1#: Good."


def guess_and_read(folder, content, name="in.jsonl", preset=None):
    """What is guessed of a file, and its sources read by that."""
    file = input_file(write(folder, content, name))
    kind = detect_format(file)
    read = list(FORMATS[kind].read_rows(file))
    columns = list(dict.fromkeys(column for row in read for column in row.values))
    schema = load_preset(preset) if preset else None
    guess = guess_columns(
        [row.values for row in read], columns, needs_speakers=schema is not None and asks_for_speakers(schema)
    )
    options = ImportOptions(
        kind,
        mapping=guess.mapping,
        row_ids="id" not in guess.mapping,
        exact_mapping=True,
        summary_lists=guess.summary_lists,
        schema=schema,
    )
    return guess, records(list(read_sources(file, options)))


def texts(source):
    return [reference.summary for reference in source.references]


def test_numbered_columns_are_several_summaries_with_what_bears_their_number(tmp_path):
    row = {
        "fname": "t0",
        "dialogue": TALK,
        "summary1": SUMMARY,
        "topic1": "a walk",
        "summary2": SECOND,
        "topic2": "pier",
    }
    guess, [source] = guess_and_read(tmp_path, rows(row))
    assert guess.mapping["summary:2"] == "summary2"
    assert [(reference.summary, reference.raw_extra) for reference in source.references] == [
        (SUMMARY, {"topic": "a walk"}),
        (SECOND, {"topic": "pier"}),
    ]


def test_numbered_columns_of_an_attribute_belong_to_their_summaries(tmp_path):
    file = write(tmp_path, rows({"id": "a", "text": TEXT, "s": SUMMARY, "t": SECOND, "x": ["pier"], "y": ["board"]}))
    mapping = {"summary": "s", "summary:2": "t", "attribute:topic": "x", "attribute:topic:2": "y"}
    [source] = records(list(read_sources(input_file(file), ImportOptions(mapping=mapping))))
    assert [reference.attributes for reference in source.references] == [{"topic": ["pier"]}, {"topic": ["board"]}]


def test_a_text_of_lines_with_names_is_turns_where_speakers_are_asked_for(tmp_path):
    row = {"id": "a", "dialogue": TALK, "summary": SUMMARY}
    guess, [source] = guess_and_read(tmp_path, rows(row), preset="macsum-dial")
    assert guess.mapping["segments"] == "dialogue"
    assert [(turn["speaker"], turn["text"]) for turn in source.segments] == [
        ("#Person1#", "Is the pier open today?"),
        ("#Person2#", "No, it is closed.\nWe could walk."),
        ("#Person1#", "Good."),
    ]
    assert guess_and_read(tmp_path, rows(row), preset="macsum-doc")[0].mapping["text"] == "dialogue"


@pytest.mark.parametrize(("who", "what"), [("author", "text"), ("role", "content"), ("from", "value"), ("name", "utt")])
def test_a_list_of_turns_is_a_transcript_under_any_name(tmp_path, who, what):
    turns = [{who: "Ann", what: "Is the pier open?"}, {who: "Ben", what: "It is closed."}]
    guess, [source] = guess_and_read(tmp_path, rows({"doc": "talk-1", "minutes": turns, "summary": SUMMARY}))
    assert guess.mapping["segments"] == "minutes"
    assert source.segments == [
        {"speaker": "Ann", "text": "Is the pier open?"},
        {"speaker": "Ben", "text": "It is closed."},
    ]


def test_turns_and_speakers_may_be_lists_side_by_side(tmp_path):
    row = {"id": "a", "summary": SUMMARY, "utt": ["Is it open?", "It is closed."], "speaker": ["ANN, HOST", "BEN"]}
    _guess, [source] = guess_and_read(tmp_path, rows(row))
    assert [(turn["speaker"], turn["text"]) for turn in source.segments] == [
        ("ANN, HOST", "Is it open?"),
        ("BEN", "It is closed."),
    ]


def test_lists_in_cells_are_read_as_json_python_and_numpy_write_them(tmp_path):
    for cell in (json.dumps([SUMMARY, SECOND]), repr([SUMMARY, SECOND]), f"['{SUMMARY}'\n '{SECOND}']"):
        table = f'id,text,references\na,{TEXT},"{cell.replace(chr(34), chr(34) * 2)}"\n'
        _guess, [source] = guess_and_read(tmp_path, table, "a.csv")
        assert texts(source) == [SUMMARY, SECOND]


def test_objects_in_cells_have_a_text_a_state_and_a_writer(tmp_path):
    cell = [
        {"user_id": "u1", "value": SUMMARY, "status": "submitted"},
        {"user_id": "u2", "value": SECOND, "status": "discarded"},
    ]
    _guess, [source] = guess_and_read(tmp_path, rows({"id": "a", "text": TEXT, "target": cell}))
    assert texts(source) == [SUMMARY]
    assert source.left_out == {"discarded": 1}
    (reference,) = source.references
    assert (reference.author_name, reference.raw_extra["author"] not in ("", "u1")) == ("u1", True)


def test_an_object_of_named_summaries_keeps_the_names_and_gives_the_attribute(tmp_path):
    row = {"id": "a", "text": TEXT, "summary": {"short": SUMMARY, "long": SECOND}}
    _guess, [source] = guess_and_read(tmp_path, rows(row), preset="macsum-doc")
    assert [reference.raw_extra["aspect"] for reference in source.references] == ["short", "long"]
    assert [reference.attributes for reference in source.references] == [{"length": "short"}, {"length": "long"}]


def test_a_list_of_sentences_is_one_summary_where_its_name_or_marks_say_so(tmp_path):
    row = {
        "article_id": "a",
        "article_text": [TEXT, OTHER],
        "abstract_text": [f"<S> {SUMMARY} </S>", f"<S> {SECOND} </S>"],
    }
    guess, [source] = guess_and_read(tmp_path, rows(row))
    assert texts(source) == [f"{SUMMARY} {SECOND}"]
    assert [segment["text"] for segment in source.segments] == [TEXT, OTHER]
    assert guess.doubts == []


def test_a_list_of_sentences_under_another_name_is_doubted(tmp_path):
    row = {"id": "a", "text": TEXT, "summary": [SUMMARY, SECOND]}
    guess, [source] = guess_and_read(tmp_path, rows(row))
    assert texts(source) == [SUMMARY, SECOND]
    assert [(doubt.field, doubt.others) for doubt in guess.doubts] == [("summary_lists", ("summary",))]


def test_a_list_of_words_is_no_text(tmp_path):
    row = {"id": "a", "tokens": TEXT.split(), "document": TEXT}
    assert guess_and_read(tmp_path, rows(row))[0].mapping["text"] == "document"


def test_marks_between_documents_and_around_sentences_are_taken_out(tmp_path):
    row = {"document": f"{TEXT} ||||| {OTHER} NEWLINE_CHAR NEWLINE_CHAR It rained.", "summary": SUMMARY}
    _guess, [source] = guess_and_read(tmp_path, rows(row))
    assert text_of(source) == f"{TEXT}\n\n{OTHER}\n\nIt rained."


def test_six_copies_of_one_reference_are_one(tmp_path):
    row = {"id": "a", "text": TEXT, "references": [SUMMARY] * 6}
    _guess, [source] = guess_and_read(tmp_path, rows(row))
    assert texts(source) == [SUMMARY]
    assert source.left_out == {"repeated": 5}


def test_texts_of_systems_are_no_human_summaries(tmp_path):
    row = {"model_id": "M0", "id": "a", "text": TEXT, "decoded": "Pier pier pier.", "references": [SUMMARY, SECOND]}
    guess, [source] = guess_and_read(tmp_path, rows(row, {**row, "model_id": "M1", "decoded": "A pier, a board."}))
    assert texts(source) == [SUMMARY, SECOND]
    assert guess.notes[0].startswith("decoded: texts of systems")
    assert json.loads(source.metadata_json)["model_id"] == ["M0", "M1"]
    guess, [source] = guess_and_read(tmp_path, rows({"id": "a", "text": TEXT, "system": "lead", "summary": SUMMARY}))
    assert not source.references and guess.notes


def test_two_columns_that_could_be_the_summary_are_named(tmp_path):
    row = {
        "id": "a",
        "article": TEXT,
        "highlights": "Pier wider, says the board.",
        "abstract": "The board widens a pier.",
    }
    guess, _sources = guess_and_read(tmp_path, rows(row))
    assert guess.mapping["summary"] == "highlights"
    assert [(doubt.field, doubt.chosen, doubt.others) for doubt in guess.doubts] == [
        ("summary", "highlights", ("abstract",))
    ]


def test_columns_that_are_called_like_kinds_of_summaries_are_asked_about(tmp_path):
    row = {
        "id": "a",
        "article": TEXT,
        "summary_short": "The pier is made wider.",
        "bart_summary": "The board widens it soon.",
    }
    guess, [source] = guess_and_read(tmp_path, rows(row))
    assert not source.references
    assert [(doubt.chosen, doubt.others) for doubt in guess.doubts] == [("", ("summary_short", "bart_summary"))]


def test_columns_called_like_a_field_that_hold_something_else_do_not_disturb(tmp_path):
    row = {"document": TEXT, "summary": SUMMARY, "text": "news", "id": {"a": 1}, "metadata": "page 4", "split": 3}
    guess, [source] = guess_and_read(tmp_path, rows(row))
    assert guess.mapping == {"text": "document", "summary": "summary"}
    assert json.loads(source.metadata_json)["metadata"] == "page 4"


def test_metadata_as_json_in_a_text_is_an_object(tmp_path):
    _guess, [source] = guess_and_read(tmp_path, rows({"id": "a", "text": TEXT, "metadata": '{"page": 4}'}))
    assert json.loads(source.metadata_json) == {"page": 4}


def test_the_columns_of_mechanical_turk_are_inputs_and_answers(tmp_path):
    table = (
        "HITId,Title,WorkerId,AssignmentStatus,Input.id,Input.text,Input.summary,Answer.summary\n"
        f"H1,Write a summary,W1,Approved,a,{TEXT},Old one.,{SUMMARY}\n"
    )
    _guess, [source] = guess_and_read(tmp_path, table, "batch.csv")
    assert (source.external_id, source.title, texts(source)) == ("a", "", [SUMMARY])
    assert source.references[0].author_name == "W1"


HEADERS = {
    "German": ("Kennung", "Überschrift", "Artikel", "Zusammenfassung", "Aufteilung", "Thema", "Bearbeiter"),
    "German in capitals": ("LFD. NR.", "TITEL", "VOLLTEXT", "Kurzfassung", "Split", "THEMA", "Annotator"),
    "Chinese": ("编号", "标题", "正文", "摘要", "划分", "主题", "标注者"),
    "traditional Chinese": ("編號", "標題", "內容", "摘要", "劃分", "主題", "標註員"),
    "Arabic": ("المعرف", "العنوان", "النص", "الملخص", "التقسيم", "الموضوع", "المعلق"),
    "Arabic, other spellings": ("معرّف", "عنوان", "المقاله", "مُلخّص", "تقسيم", "موضوع", "كاتب الملخص"),
}


@pytest.mark.parametrize("names", HEADERS.values(), ids=HEADERS)
def test_headers_in_the_languages_of_the_interface_are_matched_by_name(names):
    cells = ("a1", "Pier", TEXT, SUMMARY, "train", "pier", "ana")
    attributes = build_attribute_tests(load_preset("macsum-doc"))
    guess = guess_columns([dict(zip(names, cells, strict=True))], names, attributes)
    fields = ("id", "title", "text", "summary", "split", "attribute:topic", "author")
    assert guess.mapping == dict(zip(fields, names, strict=True))


@pytest.mark.parametrize(("text", "speakers"), [("Sätze", "Sprecher"), ("句子", "发言人"), ("الجمل", "المتحدث")])
def test_turns_and_speakers_are_matched_in_every_language(text, speakers):
    guess = guess_columns([{text: ["One two.", "Three four."], speakers: ["A", "B"]}], [text, speakers])
    assert guess.mapping == {"segments": text, "speakers": speakers}


def test_texts_of_systems_are_told_apart_in_every_language():
    for system, summary in (("Modell", "Zusammenfassung"), ("模型", "摘要"), ("النموذج", "الملخص")):
        guess = guess_columns([{"text": TEXT, system: "bart", summary: SUMMARY}], ["text", system, summary])
        assert guess.mapping == {"text": "text"}, system


def test_no_word_stands_for_two_fields():
    fields = [field for field in TRANSLATED_NAMES if field not in ("speaker", "speakers")]
    words = Counter(name for field in fields for name in list_names(field))
    assert [name for name, n in words.items() if n > 1] == []


MARKED = [("x", ""), ("", "too short"), ("", ""), ("yes", "0")]


def test_marks_of_a_reviewer_in_two_columns_are_states(tmp_path):
    lines = [f"s{n},{TEXT} {n},Pier {n} is widened soon.,{yes},{no}" for n, (yes, no) in enumerate(MARKED)]
    guess, sources = guess_and_read(tmp_path, "\n".join(["id,text,summary,Approve,Reject", *lines]), "t.csv")
    assert guess.mapping["answer_state"] == "Reject"
    assert [len(source.references) for source in sources] == [1, 0, 1, 1]
    assert sources[1].left_out == {"rejected": 1}


def test_a_row_with_both_marks_further_down_is_of_unknown_state(tmp_path):
    lines = [f"s{n},{TEXT} {n},Pier {n} is widened soon.,{'x' if n else ''}," for n in range(25)]
    rows_of_both = [f"s99,{TEXT} 99,Pier 99 is widened soon.,x,x"]
    content = "\n".join(["id,text,summary,approve,reject", *lines, *rows_of_both])
    options = ImportOptions("csv", mapping={"id": "id", "text": "text", "summary": "summary", "answer_state": "reject"})
    sources = records(list(read_sources(input_file(write(tmp_path, content, "t.csv")), options)))
    assert sources[-1].left_out == {"unknown": 1}


@pytest.mark.parametrize("marks", [[("x", "x"), ("x", "")], [("", ""), ("", "")]], ids=["both in a row", "none"])
def test_other_columns_of_these_names_are_metadata(marks):
    found = [
        {"text": f"{TEXT} {n}", "summary": f"{SUMMARY} {n}", "Approve": yes, "Reject": no}
        for n, (yes, no) in enumerate(marks)
    ]
    assert "answer_state" not in guess_columns(found, list(found[0])).mapping


def test_columns_of_toloka_are_inputs_and_outputs():
    row = {
        "INPUT:id": "m1", "INPUT:text": TEXT, "INPUT:title": "Pier", "OUTPUT:text": SUMMARY + " It is wider.",
        "ASSIGNMENT:task_id": "t1",
    }  # fmt: skip
    mapping = guess_columns([row], list(row)).mapping
    assert mapping["id"] == "INPUT:id"
    assert (mapping["title"], mapping["text"]) == ("INPUT:title", "INPUT:text")
    del row["INPUT:id"]
    assert guess_columns([row], list(row)).mapping["id"] == "ASSIGNMENT:task_id"


def test_of_two_ids_that_is_one_which_tells_the_texts_apart(tmp_path):
    table = rows(
        {"system": "A", "doc_id": 1, "seg_id": 1, "rater": "r1", "source": f"<v>{TEXT}</v>", "target": "x <v>y</v> z."},
        {"system": "B", "doc_id": 1, "seg_id": 1, "rater": "r2", "source": TEXT, "target": "Pier is <v>long</v>."},
        {"system": "A", "doc_id": 1, "seg_id": 2, "rater": "r1", "source": OTHER, "target": "Bread."},
    )
    guess, sources = guess_and_read(tmp_path, table)
    assert guess.mapping["id"] == "seg_id"
    assert [text_of(source) for source in sources] == [TEXT, OTHER]
    assert not any(source.references for source in sources)


def test_a_column_called_text_is_the_text_even_where_summaries_are_longer():
    rows = [{"id": "1", "text": "s3://bucket/a.txt", "summary": "The board will widen the pier from spring on."}]
    assert guess_columns(rows, list(rows[0])).mapping == {"id": "id", "text": "text", "summary": "summary"}


def test_cells_of_lists_and_of_objects_with_lists_are_summaries():
    text = "The harbour board met on Monday and agreed to widen the pier."
    rows = [
        {"id": "1", "text": text, "summary": '["The pier grows.", "A wider pier."]'},
        {"id": "2", "text": text, "summary": '{"text": ["The pier is widened."]}'},
    ]
    assert guess_columns(rows, list(rows[0])).mapping["summary"] == "summary"


def test_a_column_of_one_word_alone_is_the_text():
    assert guess_columns([{"id": "a", "text": "/data/a.txt"}], ["id", "text"]).mapping == {"id": "id", "text": "text"}


def test_a_short_text_under_its_own_name_does_not_give_way_to_a_title():
    rows = [{"id": "a", "title": "A vote on the bridge", "text": "The council met."}]
    assert guess_columns(rows, list(rows[0])).mapping == {"id": "id", "title": "title", "text": "text"}
