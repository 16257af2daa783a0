"""The statistics of small datasets, worked out by hand."""

import pytest

from annotation.models import RestoredSkip, SampleState, SourceDocument
from annotation.services.statistics.building import build_statistics
from tests.statistics.conftest import rows_of, section_of, view_of

pytestmark = pytest.mark.django_db


def test_sizes_per_split_and_in_all(maker):
    train, test = maker.group(0, topics=("ferry", "storm")), maker.group(1)
    for length, n in (("short", 5), ("long", 15)):
        maker.summary(maker.sample(train, length), n, scores={"length": n + 1.0})
    maker.summary(maker.sample(test), 10, scores={"length": 11.0})
    assert rows_of(view_of(maker.project), "size") == [
        ["train", 1, 2, 2, 100.0, 120.0, 10.0, 11.0, 2.0],
        ["test", 1, 1, 1, 100.0, 120.0, 10.0, 11.0, 0.0],
        ["all", 2, 3, 3, 100.0, 120.0, 10.0, 11.0, pytest.approx(4 / 3)],
    ]
    assert [row[0] for row in rows_of(view_of(maker.project, "test"), "size")] == ["test"]


def test_a_size_that_is_not_known_says_why(maker):
    SourceDocument.objects.update(n_tokens=None)
    maker.summary(maker.sample(maker.group(0)))
    row = rows_of(view_of(maker.project), "size")[0]
    assert row[5] == "[the tokens of 1 source are not counted yet]"
    assert row[7] == "[1 summary is not measured yet]"


def test_means_per_requested_value_with_n_and_reasons(maker):
    for source, values in ((0, (10.0, 20.0)), (1, (60.0,))):
        for value in values:
            maker.summary(
                maker.sample(maker.group(source), "short"), scores={"length": value, "topic": "no topic requested"}
            )
    maker.summary(maker.sample(maker.group(1, topics=("ferry",)), "long"), scores={"topic": 0.5})
    maker.summary(maker.sample(maker.group(0), "long"), scores={"length": "an empty text"})
    view = view_of(maker.project)
    table = section_of(view, "control")["table"]
    assert [column["label"] for column in table["columns"]] == [
        "Attribute",
        "Value",
        "train",
        "test",
        "all",
        "signature",
    ]
    rows = {(row[0]["value"], row[1]["value"]): row for row in table["rows"]}
    short = rows["Length (tokens)", "Short"]
    assert [(cell["value"], cell["n"]) for cell in short[2:5]] == [(15.0, 2), (60.0, 1), (30.0, 3)]
    assert "low" not in short[2] and "low" not in short[3]  # one source each
    assert 10 <= short[4]["low"] <= 30 <= short[4]["high"] <= 60
    assert short[5]["value"] == "length:release|v:1"
    assert rows["Length (tokens)", "Long"][4]["undefined"] == "an empty text"
    assert rows["Length (tokens)", "Normal"][4]["undefined"] == "not requested by any summary"
    assert rows["Extractiveness", "Normal"][4]["undefined"] == "not measured yet"
    topic = rows["Topic", "chosen"]
    assert (topic[4]["value"], topic[4]["n"]) == (0.5, 1)
    assert "Length: 1 left out as undefined (an empty text)." in table["notes"]
    assert (view["summaries"], view["unmeasured"]) == (5, 5)
    assert view["missing"] == {"length": 1, "extractiveness": 5, "specificity": 5, "topic": 1}


def test_combinations_count_drawn_written_summaries_and_skips(maker):
    group = maker.group(0)
    first, second = maker.sample(group, "short", "normal", "high"), maker.sample(group, "short", "normal", "high")
    maker.sample(group, "long")
    void = maker.sample(group, "long", "full")
    type(void).objects.filter(pk=void.pk).update(state=SampleState.VOID)
    maker.summary(first, who="ann")
    maker.summary(first, who="bob")
    maker.attempt(second, "ann", "skipped")
    RestoredSkip.objects.create(project=maker.project, sample=second, raw_json="{}")
    view = view_of(maker.project)
    assert rows_of(view, "combinations") == [
        ["snh", 2, 1, 2, 2, pytest.approx(2 / 3)],
        ["lnn", 1, 0, 0, 0, pytest.approx(1 / 3)],
    ]
    bars = section_of(view, "combinations")["charts"][0]["rows"]
    assert [bar["told"] for bar in bars] == ["1 of 2, 2 skipped", "0 of 1"]
    values = {(row[0], row[1]): row[2:] for row in rows_of(view, "values")}
    assert values["Length", "Short"][:2] == [2, pytest.approx(2 / 3)]
    assert values["Length", "Short"][2] == pytest.approx(125 / 547)
    assert values["Extractiveness", "Full"][0] == 0


def test_a_reference_without_a_request_is_in_no_table_of_requests(maker):
    maker.summary(maker.sample(maker.group(0), "short", "normal", "high"))
    reference = maker.sample(maker.group(1, asks=()), sampler="import")
    type(reference).objects.filter(pk=reference.pk).update(values={}, combination="___")
    maker.summary(reference)
    view = view_of(maker.project)
    assert view["summaries"] == 2
    assert [row[0] for row in rows_of(view, "combinations")] == ["snh"]
    drawn = {(row[0], row[1]): row[2] for row in rows_of(view, "values")}
    assert drawn["Length", "Short"] == 1 and sum(n for (label, _value), n in drawn.items() if label == "Length") == 1


def test_what_does_not_count_is_left_out(maker):
    group = maker.group(0)
    samples = [maker.sample(group) for _number in range(6)]
    for state, sample in zip(("submitted", "accepted", "returned", "rejected", "surplus"), samples, strict=False):
        maker.summary(sample, who=state, state=state)
    first = maker.summary(samples[5], 10, who="reviser", state="submitted")
    maker.summary(samples[5], 30, who="reviser", attempt=first.assignment, revision=2)
    assert [view_of(maker.project, state=state)["summaries"] for state in ("latest", "accepted")] == [4, 1]
    assert rows_of(view_of(maker.project), "size")[0][6] == 15.0  # (10 + 10 + 10 + 30) / 4


def test_people_and_imports_are_told_apart(maker):
    group = maker.group(0)
    maker.summary(maker.sample(group, sampler="import"), 4)
    maker.summary(maker.sample(group), 8, who="ann")
    by_key = {origin: view_of(maker.project, origin=origin) for origin in ("all", "people", "imported")}
    assert {origin: rows_of(view, "size")[0][6] for origin, view in by_key.items()} == {
        "all": 6.0,
        "people": 8.0,
        "imported": 4.0,
    }
    assert [rows_of(view, "combinations")[0][1] for view in by_key.values()] == [2, 1, 1]
    assert view_of(maker.project, origin="imported", state="accepted")["summaries"] == 1


def test_the_ratio_takes_the_marked_segments_only_where_something_was_chosen(maker):
    plain, topical = maker.group(0), maker.group(0, topics=("ferry",))
    maker.summary(maker.sample(plain), 10, segments=[0])  # 10 of 100 words
    maker.summary(maker.sample(topical), 10, segments=[0, [2, 3], 9])  # 10 of 75; there is no segment 9
    maker.summary(maker.sample(topical), 10, segments=[9])  # nothing to divide by
    view = view_of(maker.project)
    rows = {(row[0], row[1]): row for row in rows_of(view, "ratios")}
    other_row = rows["Nothing chosen: the whole source", "Normal"]
    assert other_row[2:8] == [1, "9 – 11.5", 10.0, 10.0, 10.0, 100.0]
    marked = rows["Topics or speakers: marked segments", "Normal"]
    assert (marked[2], marked[5], marked[7]) == (1, pytest.approx(40 / 3), 0.0)
    assert rows["Nothing chosen: the whole source", "Long"][4] == "[not requested by any summary]"
    assert (
        "1 summary has no ratio: it is empty, or no words are marked." in section_of(view, "ratios")["table"]["notes"]
    )


def test_several_modes_are_flagged_and_anchors_that_do_not_fit_are_listed(maker):
    for number in range(30):  # anchors at 4, 8 and 12 of 80 words: 5, 10 and 15 %
        group = maker.group(0, topics=(f"topic {number}",))
        maker.summary(maker.sample(group), (4, 8, 12)[number % 3], segments=[[0, 3]])
        maker.summary(maker.sample(group, "short"), 4, segments=[[0, 3]])
    SourceDocument.objects.first().source_text.__class__.objects.update(segments_json=_segments(20))
    view = view_of(maker.project)
    section = section_of(view, "ratios")
    assert any("Marked segments, anchors: the label “normal” has 3 modes, at" in flag for flag in section["flags"])
    assert not any("“short”" in flag for flag in section["flags"])
    anchors = section_of(view, "anchors")["table"]
    assert anchors["notes"] == [
        "20 of 30 anchors do not fit their label: 10 read as short, 10 read as normal, 10 read as long."
    ]
    assert [cell["value"] for cell in anchors["rows"][0]][:6] == ["news-0#0", "Normal", "Short", 5.0, 4, 80]
    assert anchors["rows"][0][6]["value"] == str(maker.source(0).public_id)
    strips = {chart["key"]: chart for chart in section["charts"]}
    assert sum(strips["ratios-anchors"]["rows"][0]["counts"]) == 30


def _segments(n_words: int) -> str:
    import json

    from tests.statistics.conftest import words

    return json.dumps([{"speaker": "", "text": words(n_words)}] * 4)


def test_arms_compare_what_people_wrote(maker):
    for source in (0, 1):
        group = maker.group(source)
        for arm, n, timings in (
            ("minimal", 10, {"seconds": 600, "active_seconds": 120}),
            ("full", 20, {"seconds": 300}),
        ):
            maker.summary(
                maker.sample(group),
                n,
                who=f"{arm}{source}",
                assistance=arm,
                timings=timings,
                scores={"length": float(n)},
            )
    maker.summary(maker.sample(maker.group(0), sampler="import"), 90, scores={"length": 90.0})
    table = section_of(view_of(maker.project), "arms")["table"]
    assert [column["label"] for column in table["columns"]] == ["What", "Value", "full", "minimal"]
    rows = {(row[0]["value"], row[1]["value"]): row[2:] for row in table["rows"]}
    assert [(cell["value"], cell["n"]) for cell in rows["Length (tokens)", "Normal"]] == [(20.0, 2), (10.0, 2)]
    assert [cell["value"] for cell in rows["Ratio", "% of words"]] == [20.0, 10.0]
    assert [cell["value"] for cell in rows["Time", "median minutes"]] == [5.0, 2.0]
    assert rows["Length (tokens)", "Short"][0]["undefined"] == "not requested by any summary"
    assert "Time: active seconds for 2 summaries, from claim to submission for 2." in table["notes"]
    charts = section_of(view_of(maker.project), "arms")["charts"]
    assert charts[0]["series"] == ["full", "minimal"]


def test_origins_that_cross_splits_are_listed(maker):
    SourceDocument.objects.update(origin_id="meeting-1")
    maker.summary(maker.sample(maker.group(0)))
    assert rows_of(view_of(maker.project), "crossings") == [["meeting-1", "test, train"]]


def test_views_that_are_equal_are_kept_once(maker):
    maker.summary(maker.sample(maker.group(0), sampler="import"))
    statistics = build_statistics(maker.project)
    assert statistics["splits"] == ["train"]
    assert sorted(set(statistics["which"].values())) == ["v0", "v1"]  # all there is, and nothing (written by people)


def test_a_project_without_summaries_has_empty_tables_not_errors(maker):
    view = view_of(maker.project)
    assert view["summaries"] == 0
    assert rows_of(view, "size")[0][4] == "[there is no summary]"
    assert rows_of(view, "combinations") == []
