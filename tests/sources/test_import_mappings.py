"""Column mappings that a project keeps from its imports."""

import pytest

from annotation.models import SourceDocument
from annotation.services.core.errors import BadInput
from annotation.services.sources.column_mappings import forget_mapping, list_saved_mappings
from annotation.services.sources.import_types import ImportRefused
from tests.sources.conftest import import_, list_source_ids, row

pytestmark = pytest.mark.django_db


def test_a_mapping_is_kept_for_the_next_table(news, tmp_path):
    for number in (1, 2):
        (tmp_path / f"{number}.csv").write_text(f'key,body\nd{number},"One. Two, three."\n', encoding="utf-8")
    mapping = {"id": "key", "text": "body"}
    assert import_(news, tmp_path / "1.csv", mapping=mapping).stored == 1
    news.refresh_from_db()
    assert import_(news, tmp_path / "2.csv").stored == 1
    assert list_source_ids(news) == ["d1", "d2"]
    assert SourceDocument.objects.get(external_id="d2").source_text.segments[1]["text"] == "Two, three."


def test_a_kept_mapping_is_not_applied_to_a_file_with_other_columns(news, tmp_path, jsonl):
    (tmp_path / "own.csv").write_text('article_no,body\nd1,"One. Two."\n', encoding="utf-8")
    import_(news, tmp_path / "own.csv", mapping={"id": "article_no", "text": "body"})
    news.refresh_from_db()

    report = import_(news, jsonl(row(2), row(3)))
    assert (report.stored, report.columns_of) == (2, "")
    (tmp_path / "more.csv").write_text("id,text\nd4,The council met.\n", encoding="utf-8")
    assert import_(news, tmp_path / "more.csv").stored == 1
    assert list_source_ids(news) == ["d1", "doc-2", "doc-3", "d4"]
    # JSON lines with the columns of the table are read by them.
    report = import_(news, jsonl({"article_no": "d5", "body": "Rain fell."}, name="same.jsonl"))
    assert (report.stored, report.columns_of) == (1, "own.csv")


def test_a_file_with_a_text_of_its_own_is_not_read_by_a_kept_mapping(news, jsonl):
    import_(news, jsonl({"id": "d1", "body": "The first text."}, name="own.jsonl"), mapping={"text": "body"})
    news.refresh_from_db()
    import_(news, jsonl({"id": "d2", "text": "The council met.", "body": "A note beside it."}))
    assert SourceDocument.objects.get(external_id="d2").source_text.segments[0]["text"] == "The council met."


def test_one_mapping_is_kept_for_each_set_of_columns(news, jsonl):
    for name, column in (("a", "body"), ("b", "story"), ("c", "body")):
        import_(
            news,
            jsonl({"nr": name, column: "The council met."}, name=f"{name}.jsonl"),
            mapping={"id": "nr", "text": column},
        )
    saved = list_saved_mappings(news)
    assert [(item.file_name, item.columns["text"]) for item in saved] == [("c.jsonl", "body"), ("b.jsonl", "story")]
    forget_mapping(project=news, key=saved[0].key)
    with pytest.raises(ImportRefused):
        import_(news, jsonl({"nr": "d", "body": "The council met."}, name="d.jsonl"))
    assert import_(news, jsonl({"nr": "e", "story": "The council met."}, name="e.jsonl")).columns_of == "b.jsonl"


def test_a_mapping_to_no_field_of_ours_is_refused(news, jsonl):
    with pytest.raises(BadInput) as refused:
        import_(news, jsonl(row(1)), mapping={"body": "text"})
    assert refused.value.field == "mapping"


# Uploads.
