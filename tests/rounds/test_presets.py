"""Preset rounds of a constructed dataset: written by page, command and call, and launched as they are."""

import json

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.models import Annotation, Group, Role, Sample, SourceDocument
from annotation.services.core.errors import NotFound
from epitome.rounds.config_parsing import parse_round
from evaluation.models import Round
from evaluation.services.rating import item_payload
from evaluation.services.rounds import presets
from tests.rounds.factories import claim, launch_new_round, member, project_with_gold, raters_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def constructed(db):
    """Seven papers with an empirical and a conceptual summary each, and their abstract in the metadata."""
    project = project_with_gold("papers", documents=7, preset="ccsbench")
    SourceDocument.objects.filter(project=project).update(metadata_json=json.dumps({"abstract": "An abstract."}))
    Group.objects.filter(project=project).update(chosen={}, asks=[])
    for sample in Sample.objects.filter(project=project).order_by("document_id", "position"):
        value = "high" if sample.position % 2 == 0 else "low"
        Sample.objects.filter(pk=sample.pk).update(values={"focus": value})
        Annotation.objects.filter(sample=sample).update(payload={"summary": f"A {value} one of {sample.pk}."})
    return project


def test_the_round_is_written_as_large_as_the_data_and_can_be_launched(constructed):
    text = presets.write_preset(constructed, "ccsbench-focus")
    config = parse_round(text, constructed.schema_version.schema)
    assert config.selection.n == 7 and config.pairs.by == "value" and config.pairs.attribute == "focus"
    assert config.reference == "metadata:abstract" and config.pay.amount == 0.75 and config.items_per_person == 20
    round_ = launch_new_round(constructed, text=text)
    assert round_.n_items == 7 and round_.raters_per_item == 3
    for item in round_.items.all():
        assert "high" in [item.first.text, item.second.text][item.labelled - 1], "labelled is the more empirical one"
        assert item.reference.text == "An abstract."


def test_summaries_of_other_sets_are_not_paired(constructed):
    """Those of the compositional set ask for the focus too, and have other contents and readers."""
    (preset,) = presets.list_presets(constructed)
    assert presets.count_pairs(constructed, preset) == 7
    low = Sample.objects.filter(project=constructed, values__focus="low")
    low.filter(document__in=list(constructed.documents.all()[:5])).update(values={"focus": "low", "length": "short"})
    assert presets.count_pairs(constructed, preset) == 2
    assert "n = 2\n" in presets.write_preset(constructed, "ccsbench-focus")


def test_a_second_one_gets_a_name_of_its_own(constructed):
    launch_new_round(constructed, text=presets.write_preset(constructed, "ccsbench-focus"))
    again = presets.write_preset(constructed, "ccsbench-focus")
    assert 'name = "Focus of the constructed summaries 2"' in again


def test_only_what_fits_the_project_is_offered(constructed):
    assert [preset.key for preset in presets.list_presets(constructed)] == ["ccsbench-focus"]
    with pytest.raises(NotFound):
        presets.write_preset(constructed, "ccsbench-readability")
    assert presets.list_presets(project_with_gold("news")) == []


def test_new_round_writes_it_for_everybody_who_may(constructed):
    client = Client()
    client.force_login(member(constructed, "researcher", Role.RESEARCHER))
    page = reverse("round-new", args=[constructed.slug])
    assert "?preset=ccsbench-focus" in client.get(page).content.decode()
    design = client.get(f"{page}?preset=ccsbench-focus").content.decode()
    assert "metadata:abstract" in design and "Total pay" in design and "USD 15.75" in design
    assert client.get(f"{page}?preset=nonsense").status_code == 404 and not Round.objects.exists()
    offered = client.get(f"/api/v1/projects/{constructed.slug}/round-presets/").json()
    assert [row["key"] for row in offered] == ["ccsbench-focus"] and "n = 7" in offered[0]["config"]


def test_the_command_writes_a_file_for_launch_round(constructed, tmp_path, capsys):
    call_command("round_preset", constructed.slug)
    assert "ccsbench-focus  Focus" in capsys.readouterr().out
    call_command("round_preset", constructed.slug, "ccsbench-focus")
    file = tmp_path / "focus.toml"
    file.write_text(capsys.readouterr().out)
    call_command("launch_round", constructed.slug, str(file), "--dry-run")
    out = capsys.readouterr().out
    assert "7 items" in out and "pay: USD 15.75 in all, 0.75 per item" in out and "3 people by a crowd link" in out


def test_readability_shows_two_summaries_and_nothing_else(constructed):
    for sample in Sample.objects.filter(project=constructed):
        value = {"high": "high", "low": "normal"}[sample.values["focus"]]
        Sample.objects.filter(pk=sample.pk).update(values={"readability": value})
    (rater,) = raters_of(constructed, 1)
    text = presets.write_preset(constructed, "ccsbench-readability").replace(
        "raters_per_item = 3", "raters_per_item = 1"
    )
    text = text.replace("[crowd]\nitems_per_person = 20\n", "")
    round_ = launch_new_round(constructed, text=text)
    other_item = item_payload.describe_item(claim(round_, rater))
    assert (other_item["source"], other_item["reference"], other_item["metadata"], len(other_item["summaries"])) == (
        None,
        None,
        [],
        2,
    )
    item = round_.items.first()
    assert "high" in [item.first.text, item.second.text][item.labelled - 1]
