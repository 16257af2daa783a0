"""The search behind Ctrl+K: what each person finds, and what nobody may find."""

import pytest
from django.urls import reverse

from annotation.models import Role, SourceDocument
from annotation.services.tasks import claim
from tests.rounds.factories import launch_new_round, make_run, project_with_gold, raters_of
from tests.tasks.factories import make_people


def find(client, text: str, project: str = "news") -> dict[str, list[str]]:
    """Group -> titles of its hits."""
    answer = client.get(reverse("search"), {"q": text, "project": project})
    assert answer.status_code == 200, answer.content[:300]
    return {group["label"]: [hit["title"] for hit in group["hits"]] for group in answer.json()["groups"]}


def test_an_admin_finds_pages_sources_samples_and_people(world):
    SourceDocument.objects.filter(external_id="news-0").update(title="Night ferry returns")
    client = world.as_("admin")

    assert find(client, "members")["Pages"] == ["Members"]
    assert find(client, "ferry")["Sources"] == ["Night ferry returns"]
    assert find(client, "news-0")["Sources"] == ["Night ferry returns"]
    assert find(client, "news-0#1")["Samples"] == ["news-0#1"]
    assert find(client, "annot")["People"] == ["annotator"]
    assert find(client, "annotators")["Help"][0] == "For annotators"


def test_every_hit_can_be_opened_by_who_found_it(world):
    SourceDocument.objects.filter(external_id="news-0").update(title="Night ferry returns")
    for who in ("annotator", "rater", "reviewer", "researcher", "admin", "outsider", "idle"):
        client = world.as_(who)
        project = "elsewhere" if who == "outsider" else "" if who == "idle" else "news"
        for text in ("", "e", "news", "ferry", "annot", "news-0#0"):
            answer = client.get(reverse("search"), {"q": text, "project": project})
            for group in answer.json()["groups"]:
                for hit in group["hits"]:
                    assert client.get(hit["url"], follow=True).status_code == 200, (who, hit)


def test_only_admins_find_people_and_only_staff_find_sources(world):
    SourceDocument.objects.filter(external_id="news-0").update(title="Night ferry returns")
    for who, groups in (("reviewer", {"Sources", "Samples"}), ("annotator", set()), ("rater", set())):
        client = world.as_(who)
        seen = {*find(client, "ferry"), *find(client, "annot"), *find(client, "news-0")}
        assert seen & {"Sources", "Samples", "People"} == groups, who


def test_an_annotator_finds_own_tasks_and_nobody_elses(world):
    SourceDocument.objects.update(title="Night ferry returns")
    claim.claim_next(project=world.project, annotator=world.people["annotator"])
    assert set(find(world.as_("annotator"), "ferry")["My tasks"]) == {"Night ferry returns"}
    (other,) = make_people(1, world.project, Role.ANNOTATOR, start=50)
    world.people["other"] = other
    assert "My tasks" not in find(world.as_("other"), "ferry")


@pytest.mark.django_db
def test_a_rater_finds_a_round_by_its_title_and_no_system_in_any_byte(client):
    project = project_with_gold()
    (rater, _second) = raters_of(project)
    make_run(project, "secret-system")
    round_ = launch_new_round(project, read=False)
    client.force_login(rater)
    for text in ("secret", "secret-system", round_.name, "", "round", "run", "systems", "table"):
        answer = client.get(reverse("search"), {"q": text, "project": project.slug})
        body = answer.content.decode()
        assert "secret" not in body and f"{project.slug}/runs" not in body and f"{project.slug}/systems" not in body
        assert round_.name not in body
    assert find(client, "Round 1", project.slug)["Rounds"] == ["Round 1"]


@pytest.mark.django_db
def test_a_researcher_finds_runs_by_their_system_and_rounds_by_name(client):
    project = project_with_gold()
    raters_of(project)
    make_run(project, "lead-3")
    round_ = launch_new_round(project, read=False)
    (researcher,) = make_people(1, project, Role.RESEARCHER, start=70)
    client.force_login(researcher)
    assert len(find(client, "lead", project.slug)["Runs"]) == 1
    assert find(client, round_.name[:4], project.slug)["Rounds"] == [round_.name]
    assert "People" not in find(client, "rater", project.slug)


def test_a_project_of_others_is_not_searched(world):
    answer = world.as_("outsider").get(reverse("search"), {"q": "news", "project": "news"})
    assert answer.status_code == 404
    assert "Projects" not in find(world.as_("outsider"), "news", "elsewhere")
    assert find(world.as_("annotator"), "new", "")["Projects"] == [world.project.name]


@pytest.mark.parametrize("text", ["\0", "%", "'; drop", "\\", "x" * 5000, "#", "#9999999999999", "😀", "a#٣"])
def test_any_text_is_answered(world, text):
    find(world.as_("admin"), text)


def test_hits_are_few_and_queries_constant(world, django_assert_max_num_queries):
    client = world.as_("admin")
    find(client, "news")
    with django_assert_max_num_queries(20):
        groups = find(client, "e")
    assert all(len(hits) <= 8 for hits in groups.values())
