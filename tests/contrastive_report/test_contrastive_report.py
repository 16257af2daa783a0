"""The report of runs over contrastive examples: numbers by hand, exclusions, comparison, page, files, API, command."""

import json
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.models import Contrastive, Membership, Role, Sample, Withdrawal
from annotation.services.core.errors import BadInput
from annotation.services.core.kept_results import forget_results
from evaluation.services.contrastive_report.contrastive_tables import (
    ReportOptions,
    build_contrastive_report,
    find_scored_run,
    find_scored_runs,
)
from tests.contrastive_report.factories import add_examples, add_gold, score_run
from tests.export.factories import news

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]
GOLDS = {
    "Police arrested two men.": {"G-N": ["Men arrested two police."], "S-V": ["Police praised two men."]},
    "The bridge opened on Monday.": {"S-N": ["The harbour opened on Monday."], "G-P": ["The bridge opened of Monday."]},
    "Rain stopped the match.": {"S-V": ["Rain began the match."]},
}
FIRST = {
    **dict.fromkeys(GOLDS, -4.0),
    "Men arrested two police.": -3.0,  # not dodged
    "Police praised two men.": -2.0,  # not dodged, the best
    "The harbour opened on Monday.": -5.0,
    "The bridge opened of Monday.": -4.0,  # a tie is not dodged
    "Rain began the match.": -9.0,
}


@pytest.fixture(autouse=True)
def _setup(settings):
    settings.EPITOME_FAKE_SYSTEMS = True


@pytest.fixture
def project(tmp_path):
    result = news(tmp_path, n=2)
    for sample, (text, examples) in zip(Sample.objects.order_by("pk"), GOLDS.items(), strict=False):
        add_gold(sample, text, examples)
    return result


@pytest.fixture
def run(project):
    return score_run(project, FIRST.__getitem__)


def table_of(report, key):
    return next(table for table in report["tables"] if table["key"] == key)


def rows_of(report, key):
    """First cell -> values of the row; where first cells repeat, the second is added."""
    rows = {}
    for row in table_of(report, key)["rows"]:
        values = [cell["value"] for cell in row]
        rows[values[0] if values[0] not in rows else (values[0], values[1])] = values[1:]
    return rows


def test_dodged_escaped_and_failures_by_hand(project, run):
    report = build_contrastive_report(project, [run], ReportOptions())
    assert rows_of(report, "contrastive-systems")["Scorer"] == [
        3, 5, 0, pytest.approx(100 * 2 / 5), pytest.approx(100 / 3)
    ]  # fmt: skip
    rules = {
        row[1]["value"]: [cell["value"] for cell in row[2:]]
        for row in table_of(report, "contrastive-rules")["rows"][:4]
    }
    assert rules["nouns"] == [0.0, 1, 1, 100.0, 1, 0]
    assert rules["prepositions"] == [0.0, 1, 1, None, 0, 0]
    assert rules["verbs"] == [None, 0, 0, 50.0, 2, 1]
    failures = rows_of(report, "contrastive-failures")
    assert [failures[label][0] for label in ("0", "1", "2", "20+")] == [1, 1, 1, 0]
    assert failures["0"][1] == pytest.approx(100 / 3)
    (chart,) = report["figures"]["contrastive-failures"]
    assert [bar["value"] for bar in chart["rows"]][:3] == [1, 1, 1]


def test_the_signature_says_how_many_sources_the_intervals_rest_on(project, run):
    signature = table_of(build_contrastive_report(project, [run], ReportOptions()), "contrastive-systems")["signature"]
    documents = set(Contrastive.objects.values_list("sample__document_id", flat=True))
    assert "clusters:sources" in signature and f"sources:{len(documents)}" in signature


def test_published_rows_are_quoted(project, run):
    report = build_contrastive_report(project, [run], ReportOptions())
    systems = table_of(report, "contrastive-systems")
    assert systems["quoted"] == [1, 2, 3]
    assert [cell["value"] for cell in systems["rows"][1]] == ["ABS+ on Gigaword", 9863, 509041, None, 48.59, 10.77]
    rules = table_of(report, "contrastive-rules")
    assert rules["quoted"] == list(range(4, 16))
    assert [row[2]["value"] for row in rules["rows"][4:8]] == [49.55, 55.41, 48.72, 55.68]


def test_the_worst_tuples_stand_beside_their_best_contrastive(project, run):
    (worst,) = build_contrastive_report(project, [run], ReportOptions())["worst"]
    assert [(row["gold"], row["contrastive"], row["failures"], row["n"], row["rule"]) for row in worst["tuples"]] == [
        ("Police arrested two men.", "Police praised two men.", 2, 2, "S-V"),
        ("The bridge opened on Monday.", "The bridge opened of Monday.", 1, 2, "G-P"),
    ]
    pieces = [(piece["kind"], piece["text"].strip()) for piece in worst["tuples"][0]["pieces"]]
    assert pieces == [("same", "Police"), ("removed", "arrested"), ("added", "praised"), ("same", "two men.")]


def test_an_exclusion_counts_at_once_and_can_be_counted_again(project, run):
    build_contrastive_report(project, [run], ReportOptions())
    Contrastive.objects.filter(text__in=["Police praised two men.", "Men arrested two police."]).update(
        state="excluded"
    )
    report = build_contrastive_report(project, [run], ReportOptions())
    assert rows_of(report, "contrastive-systems")["Scorer"] == [2, 3, 2, pytest.approx(200 / 3), 50.0]
    assert any(
        "2 scored contrastives are excluded and left out" in note
        for note in table_of(report, "contrastive-systems")["notes"]
    )
    counted = build_contrastive_report(project, [run], ReportOptions(counts_excluded=True))
    assert rows_of(counted, "contrastive-systems")["Scorer"][:3] == [3, 5, 2]
    Contrastive.objects.filter(text="Police praised two men.").update(state="active")
    Contrastive.objects.filter(text="Rain began the match.").update(state="excluded")
    again = build_contrastive_report(project, [run], ReportOptions())
    assert rows_of(again, "contrastive-systems")["Scorer"][:3] == [2, 3, 2]  # as many are excluded, but others


def test_examples_that_were_withdrawn_with_their_gold_count_nowhere(project, run):
    Contrastive.objects.filter(text="Rain began the match.").update(state="withdrawn")
    for options in (ReportOptions(), ReportOptions(counts_excluded=True)):
        report = build_contrastive_report(project, [run], options)
        assert rows_of(report, "contrastive-systems")["Scorer"][:3] == [2, 4, 0]


def test_what_came_after_the_run_is_told(project, run):
    gold = Contrastive.objects.get(text="Rain began the match.").annotation
    add_examples(gold, {"G-N": ["Match stopped the rain."]})
    add_gold(Sample.objects.order_by("pk")[3], "It snowed.", {"S-V": ["It rained."]})
    notes = table_of(build_contrastive_report(project, [run], ReportOptions()), "contrastive-systems")["notes"]
    assert "Scorer: 1 contrastives of its tuples have no score." in notes
    assert "Scorer: 1 tuples of the project have no score." in notes


def test_high_dodged_with_low_escaped_is_said_in_a_sentence(project):
    for gold in {row.annotation for row in Contrastive.objects.select_related("annotation")}:
        add_examples(gold, {"G-N": [f"{gold.payload['summary']} {number}" for number in range(20)]})
    run = score_run(project, lambda text: FIRST.get(text, -9.0), key="sure")
    notes = table_of(build_contrastive_report(project, [run], ReportOptions()), "contrastive-systems")["notes"]
    assert any(note.startswith("Sure dodges 95.4 % of the contrastives, but of 3 tuples only 33.3 %") for note in notes)


def test_two_runs_are_compared_over_what_both_scored(project, run):
    better = score_run(project, lambda text: -1.0 if text in GOLDS else -2.0, key="better")
    report = build_contrastive_report(project, [better, run], ReportOptions())
    rows = rows_of(report, "contrastive-comparison")
    assert rows["dodged"][:5] == [3, 5, 100.0, pytest.approx(40.0), pytest.approx(60.0)]
    assert rows["escaped"][2:5] == [100.0, pytest.approx(100 / 3), pytest.approx(200 / 3)]
    assert 0 < rows["dodged"][5] <= 1 and rows["dodged, S-V"][6] is not None
    assert len(report["worst"]) == 2 and report["worst"][0]["tuples"] == []
    alone = build_contrastive_report(project, [run], ReportOptions())
    assert "contrastive-comparison" not in [table["key"] for table in alone["tables"]]


def test_the_mean_is_another_score_and_missing_from_uploads(project, run):
    assert (
        rows_of(build_contrastive_report(project, [run], ReportOptions("mean")), "contrastive-systems")["Scorer"][3]
        == 40.0
    )
    for row in run.outputs.all():
        for text in (row.scores["gold"], *row.scores["texts"].values()):
            del text["mean"]
        run.outputs.filter(pk=row.pk).update(scores=row.scores)
    forget_results()
    with pytest.raises(BadInput, match="no mean per text"):
        build_contrastive_report(project, [run], ReportOptions("mean"))


def test_a_withdrawn_gold_is_shown_no_more(project):
    sample = Sample.objects.order_by("pk")[0]
    gold = add_gold(sample, "Two men were held.", {"S-A": ["Ten men were held."]})
    run = score_run(project, lambda text: FIRST.get(text, -1.0))
    tuples = build_contrastive_report(project, [run], ReportOptions())["worst"][0]["tuples"]
    assert gold.payload["summary"] in [row["gold"] for row in tuples]
    person = gold.assignment.annotator
    Withdrawal.objects.create(project=project, person=person, remove_texts=True, by=person, at=timezone.now())
    tuples = build_contrastive_report(project, [run], ReportOptions())["worst"][0]["tuples"]
    assert gold.payload["summary"] not in [row["gold"] for row in tuples] and len(tuples) == 2


def test_the_number_of_queries_does_not_grow(project, run):
    def count(*names):
        forget_results()
        chosen = find_scored_runs(project, names)
        with CaptureQueriesContext(connection) as queries:
            build_contrastive_report(project, chosen, ReportOptions())
        return len(queries)

    count_before = count(str(run.public_id))
    for sample in Sample.objects.order_by("-pk")[:1]:
        add_gold(sample, f"Another {sample.pk}.", {"G-N": [f"Other {sample.pk} {number}." for number in range(30)]})
    score_run(project, len, key="long")
    assert count("long") == count_before
    assert count("long", "scorer") == count_before + 1


def test_runs_are_found_by_id_or_by_the_key_of_their_system(project, run):
    newer = score_run(project, FIRST.__getitem__, label="again")
    assert find_scored_run(project, str(run.public_id)) == run
    assert find_scored_run(project, "scorer") == newer
    assert find_scored_runs(project, ["scorer", str(newer.public_id), str(run.public_id)]) == [newer, run]
    with pytest.raises(BadInput, match="No finished run over contrastives"):
        find_scored_run(project, "nothing")
    with pytest.raises(BadInput, match="at most 8"):
        find_scored_runs(project, ["scorer"] * 9)


def test_twins_have_different_names(project, run):
    twin = score_run(project, FIRST.__getitem__)
    report = build_contrastive_report(project, [run, twin], ReportOptions())
    names = [row[0]["value"] for row in table_of(report, "contrastive-systems")["rows"][:2]]
    assert len(set(names)) == 2


@pytest.fixture
def client(project):
    user = User.objects.create_user("researcher", password="x")
    Membership.objects.create(project=project, user=user, role=Role.RESEARCHER)
    signed_in = Client()
    signed_in.force_login(user)
    return signed_in


def test_the_page_shows_tables_figure_and_texts(client, project, run):
    url = reverse("contrastive-report", args=[project.slug])
    page = client.get(url, {"run": str(run.public_id)}).content.decode()
    assert "Dodged and escaped" in page and "33.33" in page and "ABS+ on Gigaword" in page
    assert "<ins>praised" in page and "<del>arrested" in page
    assert "<svg" in page and "0: 1 (33 %)" in page
    assert (
        reverse("contrastive-report", args=[project.slug])
        in client.get(reverse("run", args=[project.slug, run.public_id])).content.decode()
    )
    assert client.get(url, {"run": "none"}).status_code == 422
    file = client.get(
        reverse("contrastive-report-file", args=[project.slug]), {"table": "contrastive-rules", "format": "csv"}
    )
    assert "Gold Dodged %" in file.content.decode() and "attachment" in file["Content-Disposition"]
    figure = {"figure": "contrastive-failures-1", "format": "svg"}
    assert b"<svg" in client.get(reverse("contrastive-report-file", args=[project.slug]), figure).content


def test_the_page_without_runs_says_what_to_do(client, project):
    page = client.get(reverse("contrastive-report", args=[project.slug])).content.decode()
    assert "No scores yet" in page


def test_the_api_gives_the_same_tables(client, project, run):
    url = f"/api/v1/projects/{project.slug}/contrastive-report/"
    answer = client.get(url, {"run": str(run.public_id)}).json()
    assert [table["key"] for table in answer["tables"]] == [
        "contrastive-systems", "contrastive-rules", "contrastive-failures"
    ]  # fmt: skip
    assert answer["worst"][0]["tuples"][0]["contrastive"] == "Police praised two men."
    assert client.get(url).json() == {"tables": [], "worst": []}
    for wrong in ({"run": "none"}, {"score": "median"}, {"excluded": "perhaps"}, {"runs": "x"}):
        assert client.get(url, wrong).status_code in (400, 422)


def test_the_command_prints_text_json_csv_and_latex(project, run, capsys):
    def printed(*options):
        out = StringIO()
        call_command("contrastive_report", project.slug, "scorer", *options, stdout=out)
        return out.getvalue()

    text = printed()
    assert "Dodged and escaped" in text and "Police praised two men." in text and "2 of 2" in text
    values = json.loads(printed("--json"))
    assert values["worst"][0]["run"] == str(run.public_id) and len(values["tables"]) == 3
    assert "\\begin{tabular}" in printed("--latex") and "Dodged %" in printed("--csv")
    assert printed("--without-excluded") == text
    with pytest.raises(CommandError, match="nothing"):
        call_command("contrastive_report", project.slug, "nothing")
