"""Rounds over phrases for several entities: golds at random over instances, and outputs of systems."""

from collections import Counter

import pytest
from django.test import Client

from annotation.models import AggregationInstance, Sample
from annotation.services.withdrawal.texts import TEXT_HOLDERS
from evaluation.models import Item, Round, RoundText
from evaluation.services.monitoring import round_control
from evaluation.services.rating import item_payload
from evaluation.services.rating.judge_requests import build_request
from evaluation.services.reports import report_jobs
from evaluation.services.rounds import presets
from evaluation.services.rounds.design_check import check_design, parse_config
from tests.rounds.aggregations import ANSWERS, aggregation_kind, aggregation_project, answer_all  # noqa: F401  fixture
from tests.rounds.factories import claim, config, launch_new_round, make_run, project_with_gold, raters_of
from tests.rounds.forms import rate_items
from tests.tasks.factories import make_people

pytestmark = pytest.mark.django_db
RUN = '[[target]]\nsystem = "namer"\n'


@pytest.fixture
def rated(aggregation_kind) -> Round:  # noqa: F811
    """Twelve instances, each named alike by two people and otherwise by a third; a run of a system; one rater."""
    project = aggregation_project()
    answer_all(project, make_people(3, project))
    make_run(project, "namer", text="The Painters.")
    raters_of(project, 1)
    return launch_new_round(project, text=config(template="aggregation", n_raters=1, n=12, more=RUN))


def test_golds_are_normalised_drawn_among_the_distinct_ones_and_shown_like_outputs(rated):
    by_target = {"gold": Counter(), "namer": Counter()}
    for item in rated.items.select_related("first"):
        by_target[item.targets[0]["target"]][item.first.text] += 1
    assert set(by_target["gold"]) == {"island painters", "painters of the islands"}
    # One of two distinct golds, whoever many gave it: 12 draws at one half, 1 to 11 of each with p > .999.
    assert by_target["gold"].total() == 12 and by_target["namer"] == {"painters": 12}


def test_the_same_seed_draws_the_same_phrases(rated):
    again = check_design(rated.project, parse_config(rated.project, rated.config_toml))
    drawn = {text.sample: again.material.text("gold", text.sample) for item in again.plan.items for text in item.texts}
    for item in rated.items.select_related("first"):
        if item.targets[0]["target"] == "gold":
            assert drawn[item.targets[0]["sample"]] == item.first.text


def test_raters_see_entities_with_backgrounds_and_the_context(rated):
    rater = rated.raters.get().rater
    assignment = claim(rated, rater)
    instance = AggregationInstance.objects.get(sample=assignment.item.sample_id)
    item = item_payload.describe_item(assignment)
    assert [entity["name"] for entity in item["entities"]] == ["Ada Vell", "Jon Reed"]
    segments = assignment.item.document.source_text.segments
    expected = ["Both paint."] if instance.context_kind == "abstract" else [row["text"] for row in segments[:2]]
    assert item["context"] == expected and item["source"] is None and item["reference"] is None
    client = Client()
    client.force_login(rater)
    page = client.get(item["page"]).content.decode()
    assert "A painter of harbours." in page and expected[0] in page and "Phrase" in page
    assert 'href="https://en.wikipedia.org/wiki/Ada"' in page and "javascript:alert" not in page
    request = build_request(Item.objects.get(pk=assignment.item_id), rated.rules.question("fits"), False)
    lines = [segment["text"] for segment in request.segments]
    assert lines == ["Ada Vell: A painter of harbours.", "Jon Reed: A painter and etcher.", *expected]


def test_the_report_has_the_share_of_every_answer(rated):
    rater = rated.raters.get().rater
    fits = {"gold": "correct", "namer": "too generic"}
    rate_items(rated, rater, lambda row: {"fits": fits[row.item.targets[0]["target"]]})
    round_control.apply_action(round_=rated, action="unblind", by=None)
    report = report_jobs.make_report(rated)
    table = next(table for table in report["tables"] if table["key"] == "choices-fits")
    rows = {row[0]["value"]: [cell["value"] for cell in row[2:]] for row in table["rows"]}
    assert rows == {"gold": [12, 1, 0, 0], "namer": [12, 0, 1, 0]}


def test_the_template_needs_samples_with_entities(rated):
    AggregationInstance.objects.filter(key="article_3").delete()
    key = "naming-1#1"
    assert Sample.objects.filter(document__external_id="naming-1", position=1).exists()
    text = rated.config_toml.replace('[[target]]\nkind = "gold"\n', "").replace("First", "Second")
    result = check_design(rated.project, parse_config(rated.project, text))
    assert any("entities" in fault and key in fault for fault in result.faults)
    plain = project_with_gold()
    misplaced = check_design(plain, parse_config(plain, config(template="aggregation", n_raters=1)))
    assert any("entities" in fault for fault in misplaced.faults)


def test_new_round_offers_the_phrases_of_the_annotators(rated):
    assert [preset.key for preset in presets.list_presets(rated.project)] == ["aggregation-golds"]
    config = parse_config(rated.project, presets.write_preset(rated.project, "aggregation-golds"))
    assert config.selection.n == 12 and config.template == "aggregation"


def test_a_withdrawal_empties_the_phrases_of_a_person(rated):
    golds = {item.targets[0]["annotation"] for item in rated.items.all() if item.targets[0]["target"] == "gold"}
    writers = dict(rated.project.assignments.filter(annotations__in=golds).values_list("annotations", "annotator"))
    person = Counter(writers.values()).most_common(1)[0][0]
    n_phrases = len({writers[pk] for pk in golds if writers[pk] == person})
    holder, projects = TEXT_HOLDERS["round_copies"], type(rated.project).objects.filter(pk=rated.project_id)
    assert holder.count(projects, person) >= n_phrases
    holder.empty(projects, person)
    texts = RoundText.objects.filter(round=rated).values_list("text", flat=True)
    assert "" in texts and "painters" in texts and len(ANSWERS) == 3
