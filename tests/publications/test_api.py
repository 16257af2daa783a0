"""A publication by the API alone, and what it answers on the way."""

import pytest

from annotation.models import Job, Membership, Publication, Role
from annotation.services.accounts import api_tokens
from tests.api.world import Caller, work_off
from tests.publications import factories as make

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]


@pytest.fixture
def caller(tmp_path, django_user_model):
    project = make.make_project(tmp_path, django_user_model)
    user = django_user_model.objects.create_user("maker")
    Membership.objects.create(user=user, project=project, role=Role.RESEARCHER)
    return Caller(api_tokens.create_token(user=user, name="test", scope="write")[1])


def run(answer):
    assert answer.status_code == 202, answer.content
    job = Job.objects.get(public_id=answer.json_body["id"])
    work_off(job)
    return job


def test_the_whole_way(caller):
    answer = caller("POST", "projects/news/publications/", {"tag": "v1.0"})
    assert answer.status_code == 201 and answer.json_body["obstacles"] == ["It has not been checked yet."]
    text = f"publications/{answer.json_body['id']}/"
    assert run(caller("POST", f"{text}check/")).state == "done"
    seen = caller("GET", text).json_body
    assert (seen["hits"], seen["undecided"], seen["checks"]["leaks"], len(seen["obstacles"])) == (3, 3, 3, 2)
    assert "leave" not in seen["checks"] and "ethics" in seen["gaps"]
    assert caller("POST", f"{text}write/").status_code == 409

    hits = caller("GET", f"{text}hits/?decision=open").json_body["results"]
    by_kind = {hit["kind"]: hit for hit in hits}
    assert by_kind["phone"]["source_id"] == "a" and by_kind["phone"]["sample_key"] == "#0"
    assert by_kind["email"]["field"] == "segment" and (by_kind["email"]["start"], by_kind["email"]["end"]) == (9, 25)
    fields = {"decision": "mask", "hits": [by_kind["email"]["id"]]}
    assert caller("POST", f"{text}hits/", fields).json_body == {"changed": 1}
    for kind in ("phone", "name"):
        assert caller("POST", f"{text}hits/", {"decision": "keep", "kind": kind}).json_body == {"changed": 1}
    changes = {"leaks": "leave_out", "description": {"title": "Council", "answers": {"ethics": "Not needed."}}}
    seen = caller("PATCH", text, changes).json_body
    assert seen["obstacles"] == [] and "ethics" not in seen["gaps"] and seen["description"]["title"] == "Council"
    job = run(caller("POST", f"{text}write/"))
    assert job.state == "done" and job.result["counts"] == {"sources": 3, "summaries": 1}
    assert [row["tag"] for row in caller("GET", "projects/news/publications/").json_body["results"]] == ["v1.0"]


def test_wrong_bodies_are_refused_by_name(caller):
    text = f"publications/{caller('POST', 'projects/news/publications/', {'tag': 'v1.0'}).json_body['id']}/"
    assert caller("POST", "projects/news/publications/", {"tag": "v1.0"}).status_code == 409
    assert caller("POST", "projects/news/publications/", {"tag": "a b"}).status_code == 422
    assert caller("PATCH", text, {"leaks": "burn"}).status_code == 422
    assert caller("PATCH", text, {"description": {"answers": {"nonsense": "x"}}}).status_code == 422
    assert caller("PATCH", text, {"description": {"titel": "x"}}).status_code == 422
    assert caller("POST", f"{text}hits/", {"decision": "mask"}).status_code == 422
    unknown = "00000000-0000-4000-8000-000000000000"
    assert caller("POST", f"{text}hits/", {"decision": "mask", "hits": [unknown]}).status_code == 404
    assert Publication.objects.get().description == {"title": "news"}


def test_a_withdrawal_deletes_the_archive(caller, django_user_model):
    from django.core.files.storage import default_storage

    from annotation.models import Project
    from annotation.services.withdrawal import texts

    publication = make.make_ready(Project.objects.get(slug="news"))
    job = run(caller("POST", f"publications/{publication.public_id}/write/"))
    assert default_storage.exists(job.result["file"])
    assert list(texts.stored_exports(Project.objects.filter(slug="news"))) == [job]
