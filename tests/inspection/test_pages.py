"""The reviewers' pages and the writer's feedback, as they are sent: who sees what, and when."""

import json
import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Annotation, Assignment, Inspection, InspectionSample, Membership, Role, Score
from annotation.services.inspection import weekly_sample
from annotation.services.scores.score_queries import current_signatures
from epitome.text.words import n_words
from tests.inspection.factories import (
    MONDAY,
    PARTS,
    WEEK,
    hand_in,
    make_small_project,
    save_inspection,
    submit_summaries,
    verdict,
)

pytestmark = pytest.mark.django_db


def signed_in(person) -> Client:
    client = Client()
    client.force_login(person)
    return client


def said(answer) -> str:
    """The text of a page's main part."""
    body = answer.content.decode().split("<main", 1)[1].split("</main>")[0]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", body))


def form(value="accept", **changed) -> dict[str, str]:
    return {f"verdict-{key}": value for key in PARTS} | changed


@pytest.fixture
def scene():
    project, (writer,), (first, second) = make_small_project(groups=1, size=2)
    (annotation,) = submit_summaries(project, writer)
    address = reverse("inspect", args=[project.slug, annotation.public_id])
    return project, writer, signed_in(first), signed_in(second), annotation, address


def measure(annotation, value=0.2718):
    schema = annotation.project.schema_version.schema
    for name, signature in current_signatures(annotation.project, schema).items():
        Score.objects.create(
            project=annotation.project,
            target_kind="annotation",
            target_id=annotation.pk,
            measure=name,
            value=value,
            signature=signature,
        )


def test_measures_are_shown_only_after_the_verdict(scene):
    _project, _writer, first, _second, annotation, address = scene
    measure(annotation)
    assert ".27 " not in first.get(address).content.decode()
    answer = first.post(address, form(), follow=True)
    assert ".27 copied" in said(answer) and "Verdict saved" in answer.content.decode()


def test_the_reviewer_reads_the_words_that_the_writer_counted_beside_what_was_asked(scene):
    _project, _writer, first, _second, annotation, address = scene
    annotation.band_shown = {"length": {"of": "words", "from": 17, "to": 25}}
    annotation.save(update_fields=["band_shown"])
    measure(annotation, 99)  # tokens, as tables have them
    measured = said(first.post(address, form(), follow=True)).split("Measured", 1)[1]
    n = n_words(annotation.payload["summary"])
    assert f"{n} words, asked 17 to 25" in measured
    assert "99 words" not in measured


def test_a_form_without_script_stores_every_part(scene):
    _project, _writer, first, _second, annotation, address = scene
    opened = re.search(r'name="opened" value="([^"]+)"', first.get(address).content.decode())[1]
    row = {"start": 0, "end": 3, "quote": "The", "comment": "Which ferry?"}
    changed = {"verdict-topic": "revise", "comment-topic": "Say storm.", "comments": json.dumps([row])}
    first.post(address, form(**changed, opened=opened, comment="Nearly."))
    stored = Inspection.objects.get()
    assert stored.verdicts["topic"] == {"verdict": "revise", "comment": "Say storm."}
    assert (stored.comments, stored.comment, stored.verdict) == ([row], "Nearly.", "revise")
    assert stored.seconds >= 0
    assert Assignment.objects.get(pk=annotation.assignment_id).state == "returned"


@pytest.mark.parametrize("opened", ["", "x", "x:y:z", f"{'0' * 36}:1abcde:forged"])
def test_a_forged_time_is_no_time(scene, opened):
    _project, _writer, first, _second, _annotation, address = scene
    first.post(address, form(opened=opened))
    assert Inspection.objects.get().seconds is None


def test_a_refused_verdict_keeps_what_was_written(scene):
    _project, _writer, first, _second, _annotation, address = scene
    answer = first.post(
        address, {"verdict-length": "accept", "comment-length": "Just right.", "comment": "Good so far."}
    )
    assert answer.status_code == 422
    text = answer.content.decode()
    assert "verdicts.extractiveness is missing" in said(answer)
    assert "Just right.</textarea>" in text and "Good so far.</textarea>" in text
    assert re.search(r'name="verdict-length"\s+value="accept"\s+required\s+checked', text)
    assert not Inspection.objects.exists()


@pytest.mark.parametrize("comments", ["{", "5", '[{"start": 0}]', "[" * 100_000])
def test_broken_comments_are_refused(scene, comments):
    _project, _writer, first, _second, _annotation, address = scene
    assert first.post(address, form(comments=comments)).status_code == 422
    assert not Inspection.objects.exists()


def test_a_second_reviewer_does_not_see_the_first_verdict_before_theirs(scene):
    project, writer, first, other_second, annotation, address = scene
    for second in (False, True):
        InspectionSample.objects.create(
            project=project, annotation=annotation, annotator=writer, week=WEEK, seed="s", second=second
        )
    first.post(address, form("revise", comment="Unmistakable words."))
    assert "Unmistakable words." not in other_second.get(address).content.decode()
    assert "Unmistakable words." in said(other_second.post(address, form(), follow=True))


def test_ones_own_work_has_no_form(scene):
    project, writer, _first, _second, _annotation, address = scene
    Membership.objects.create(project=project, user=writer, role=Role.REVIEWER)
    signed = signed_in(writer)
    assert "This is your own work" in said(signed.get(address))
    assert "data-verdicts" not in signed.get(address).content.decode()
    signed.post(address, form())
    assert not Inspection.objects.exists()


def test_names_of_annotators_are_not_on_the_reviewers_pages(scene):
    project, writer, first, _second, _annotation, address = scene
    Annotation.objects.update(created_at=MONDAY)
    weekly_sample.draw_week(project=project, week=WEEK)
    for page in (address, f"/p/news/inspection/?week={WEEK}"):
        assert writer.username not in said(first.get(page))
    first.post(address, form())
    assert writer.username not in said(first.get("/p/news/inspection/acceptance/"))


def test_what_changed_is_marked_with_ins_and_del(scene):
    project, _writer, first, _second, annotation, address = scene
    first.post(address, form("revise", comment="Name it."))
    newer = hand_in(annotation.assignment, summary="The ferry Ann left late.\nA storm closed the channel.")
    text = first.get(reverse("inspect", args=[project.slug, newer.public_id])).content.decode()
    assert re.search(r"The ferry <ins>Ann </ins>\s*left late", text)
    assert "Name it." in text


def test_the_queue_leads_to_the_next_and_to_the_newest_revision(scene):
    _project, _writer, first, _second, annotation, address = scene
    Annotation.objects.update(created_at=MONDAY)
    page = f"/p/news/inspection/?week={WEEK}"
    assert "not drawn" in said(first.get(page))
    assert first.post("/p/news/inspection/draw/", {"week": WEEK}).headers["Location"] == page
    assert address in first.get(page).content.decode()
    assert first.post("/p/news/inspection/next/").headers["Location"] == address
    first.post(address, form("revise", comment="Name it."))
    newer = hand_in(annotation.assignment, summary="Ann left.")
    assert str(newer.public_id) in first.post("/p/news/inspection/next/").headers["Location"]
    assert "Resubmitted" in said(first.get(page))
    first.post(reverse("inspect", args=["news", newer.public_id]), form())
    assert "revise then accept" in said(first.get(page))


@pytest.mark.parametrize("query", ["week=2026", "week=2026-W99", "annotator=x", "state=all", "page=0"])
def test_the_queue_refuses_what_it_does_not_know(scene, query):
    _project, _writer, first, *_ = scene
    assert first.get(f"/p/news/inspection/?{query}").status_code in (400, 422)


def test_a_week_is_accepted_after_a_preview():
    project, (writer,), (reviewer, _two) = make_small_project(documents=4, groups=1, size=2)
    submit_summaries(project, writer, 8, at=MONDAY)
    weekly_sample.draw_week(project=project, week=WEEK)
    client = signed_in(reviewer)
    for pk in InspectionSample.objects.filter(second=False).values_list("annotation_id", flat=True):
        save_inspection(Annotation.objects.get(pk=pk), reviewer)
    page = client.get(f"/p/news/inspection/?week={WEEK}")
    name = re.search(r"annotator=([0-9a-f]{12})\">\s*Accept week", page.content.decode())[1]
    fields = {"week": WEEK, "annotator": name}
    preview = client.get("/p/news/inspection/week/", fields)
    assert "3 summaries that were not inspected would be accepted" in said(preview)
    assert Assignment.objects.filter(state="accepted").count() == 5
    client.post("/p/news/inspection/week/", {**fields, "do": "accept", "expected": "2"})
    assert Assignment.objects.filter(state="accepted").count() == 5
    client.post("/p/news/inspection/week/", {**fields, "do": "accept", "expected": "3"})
    assert Assignment.objects.filter(state="accepted").count() == 8
    assert "100 %" in said(client.get(f"/p/news/inspection/?week={WEEK}"))


def test_the_queue_and_a_page_cost_the_same_at_any_size(django_assert_max_num_queries):
    project, (writer,), (reviewer, _two) = make_small_project(documents=30, groups=1, size=2)
    submit_summaries(project, writer, 60, at=MONDAY)
    weekly_sample.draw_week(project=project, week=WEEK)
    client = signed_in(reviewer)
    address = client.post("/p/news/inspection/next/").headers["Location"]
    with django_assert_max_num_queries(16):
        client.get(f"/p/news/inspection/?week={WEEK}")
    with django_assert_max_num_queries(16):
        client.get(address)
    client.post(address, form())
    with django_assert_max_num_queries(20):
        client.get(address)


def test_a_writer_reads_the_feedback_and_revises(scene):
    _project, writer, first, _second, annotation, address = scene
    signed = signed_in(writer)
    page = reverse("finished", args=[annotation.assignment.public_id])
    assert "Not reviewed. A sample" in said(signed.get(page))
    row = {"start": 0, "end": 3, "quote": "The", "comment": "Which ferry?"}
    changed = {"verdict-topic": "revise", "comment-topic": "Say storm.", "comments": json.dumps([row])}
    first.post(address, form(**changed, comment="Nearly."))
    text = said(signed.get(page))
    for words in ("Nearly.", "Say storm.", "Which ferry?", "A reviewer has returned this summary to you"):
        assert words in text
    assert "Read the feedback" in said(signed.get("/p/news/work/"))
    task = signed.get(reverse("task", args=[annotation.assignment.public_id])).content.decode()
    assert "Topic: Say storm." in task and "“The”: Which ferry?" in task and "The ferry left late." in task
    hand_in(annotation.assignment, summary="The storm ferry left.")
    assert "<ins>" in signed.get(page).content.decode()


def test_a_writer_takes_a_text_back_until_it_is_inspected(scene):
    _project, writer, first, _second, annotation, address = scene
    signed = signed_in(writer)
    revise = reverse("revise", args=[annotation.assignment.public_id])
    page = reverse("finished", args=[annotation.assignment.public_id])
    assert signed.post(revise).headers["Location"] == reverse("task", args=[annotation.assignment.public_id])
    assert "You reopened this summary" in said(signed.get(page))
    assert "reopened by you" in said(signed.get("/p/news/work/"))
    signed.post(revise, {"do": "leave"})
    first.post(address, form())
    assert 'action="/tasks/' not in signed.get(page).content.decode()
    assert signed.post(revise).headers["Location"] == page
    assert Assignment.objects.get(pk=annotation.assignment_id).state == "accepted"


def test_anothers_finished_work_does_not_exist(scene):
    _project, _writer, first, _second, annotation, _address = scene
    for name in ("finished", "revise"):
        assert first.post(reverse(name, args=[annotation.assignment.public_id])).status_code in (404, 405)
    assert first.get(reverse("finished", args=[annotation.assignment.public_id])).status_code == 404


def test_what_people_wrote_is_shown_as_text(scene):
    _project, writer, first, _second, annotation, address = scene
    bad = "\"'><img src=x onerror=alert(1)><script>alert(2)</script>{{7*7}}"
    payload = {**annotation.payload, "summary": bad, "title": bad}
    Annotation.objects.update(payload=payload)
    row = {"start": 0, "end": len(bad), "quote": bad, "comment": bad}
    pages = [first.get(address)]
    pages.append(first.post(address, form("revise", comment=bad, comments=json.dumps([row])), follow=True))
    pages.append(signed_in(writer).get(reverse("finished", args=[annotation.assignment.public_id])))
    pages.append(signed_in(writer).get(reverse("task", args=[annotation.assignment.public_id])))
    for page in pages:
        text = page.content.decode()
        assert "<img" not in text and "<script>alert" not in text and "{{7*7}}" in text
    assert verdict("revise")["comment"]


def test_the_queue_says_what_is_left_after_every_verdict(scene):
    project, writer, first, second, _annotation, address = scene
    week = weekly_sample.week_of(timezone.now(), project)
    queue = f"{reverse('inspection', args=[project.slug])}?week={week}"

    def offers_next(reviewer) -> bool:
        return 'data-action="next-inspection"' in reviewer.get(queue).content.decode()

    assert not offers_next(first)
    weekly_sample.draw_week(project=project, week=week)
    assert offers_next(first) and offers_next(second)
    assert "0 of 1" in said(first.get(queue)) and f'href="{address}"' in first.get(queue).content.decode()
    first.post(address, form())
    assert not offers_next(first) and not offers_next(second)
    assert "1 of 1" in said(first.get(queue))
    submit_summaries(project, writer)
    weekly_sample.draw_week(project=project, week=week)
    assert offers_next(first) and "1 of 2" in said(second.get(queue))


def test_the_queue_costs_as_many_queries_for_many_lines_as_for_one(django_assert_max_num_queries):
    project, (writer,), (reviewer, _other) = make_small_project(documents=5)
    first = signed_in(reviewer)
    week = weekly_sample.week_of(timezone.now(), project)
    for n_summaries in (1, 9):
        submit_summaries(project, writer, n_summaries)
        weekly_sample.draw_week(project=project, week=week)
        first.get(f"/p/news/inspection/?week={week}")
        with django_assert_max_num_queries(13):
            page = first.get(f"/p/news/inspection/?week={week}")
    assert len(page.context["lines"]) > 5
