"""Words that name no topic are not offered; the extraction itself keeps them."""

import pytest

from annotation.models import Candidate
from annotation.services.tasks import claim
from annotation.services.tasks.task_context import candidates_for, schema_for
from epitome.candidates.weak import leave_out_weak
from tests.tasks.factories import make_people, make_project


def named(*texts: str) -> list[dict]:
    return [{"text": text, "rank": n} for n, text in enumerate(texts, 1)]


@pytest.mark.parametrize(
    ("texts", "left"),
    [
        (("things", "night ferry", "People", "fares", "harbour"), ["night ferry", "fares", "harbour"]),
        (
            ("people of the port", "time table", "place names"),
            ["people of the port", "time table", "place names"],
        ),
        (("things", "hands", "ferry"), ["things", "hands", "ferry"]),
    ],
    ids=["single words go", "phrases stay", "better weak than none"],
)
def test_what_is_left_out(texts, left):
    assert [row["text"] for row in leave_out_weak(named(*texts))] == left


@pytest.mark.parametrize(
    ("language", "weak"),
    [
        ("en", ["Monday", "June", "closed", "count", "last week", "many people"]),
        ("de-AT", ["Montag", "Juni", "Anzahl", "Leute"]),
        ("zh-Hans", ["星期一", "六月", "东西", "时候"]),
        ("ar", ["الاثنين", "يونيو", "شيء", "الناس"]),
    ],
)
def test_days_months_and_empty_words_are_left_out_in_each_language(language, weak):
    topics = ["Maria Lund", "AAA cells", "night ferry", "watershed"]
    assert [row["text"] for row in leave_out_weak(named(*weak, *topics), language)] == topics


def test_the_words_of_one_language_mean_nothing_in_another():
    topics = ["Art", "Ziel", "Dank", "Fall"]
    assert len(leave_out_weak(named(*topics), "en")) == 4
    assert len(leave_out_weak(named("Art", "Fähre", "Hafen", "Brot"), "de")) == 3


@pytest.mark.django_db
def test_the_next_ones_take_their_places_on_the_task():
    project = make_project("weak", documents=1, asks=("topic",))
    (annotator,) = make_people(1, project)
    task = claim.claim_next(project=project, annotator=annotator).assignment
    document = task.group.document
    Candidate.objects.filter(document=document, kind="topic").delete()
    texts = ["things", *(f"topic {n}" for n in range(40))]
    Candidate.objects.bulk_create(
        Candidate(document=document, kind="topic", text=text, rank=n, score=1 / n, mentions=1, words=1)
        for n, text in enumerate(texts, 1)
    )
    offered = [row["text"] for row in candidates_for(task, schema_for(task))["topic"]]
    assert "things" not in offered and offered[0] == "topic 0"
    assert Candidate.objects.filter(document=document, text="things").exists()
