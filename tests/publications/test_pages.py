"""The pages of a publication: from a tag to an archive, by forms alone."""

import io
import zipfile

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Job, Membership, Publication, Role
from tests.api.world import work_off
from tests.publications import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(tmp_path, django_user_model):
    return make.make_project(tmp_path, django_user_model)


@pytest.fixture
def researcher(project, django_user_model):
    user = django_user_model.objects.create_user("researcher")
    Membership.objects.create(user=user, project=project, role=Role.RESEARCHER)
    client = Client()
    client.force_login(user)
    return client


def post(client, url, **fields):
    answer = client.post(url, fields)
    assert answer.status_code == 302, answer.content.decode()
    return client.get(answer.headers["Location"]).content.decode()


def run_newest():
    job = Job.objects.order_by("-pk")[0]
    work_off(job)
    return job


def test_the_whole_way_by_page(project, researcher):
    page = post(researcher, "/p/news/publish/", tag="v1.0")
    url = f"/p/news/publish/{Publication.objects.get().public_id}/"
    assert "It has not been checked yet." in page
    assert "Check" in post(researcher, url, do="check")
    assert run_newest().state == "done"
    page = researcher.get(url).content.decode()
    assert "3 places look like" in page and "3 are not decided." in page and "Rows leak between splits." in page
    assert "Write archive" not in page

    places = researcher.get(f"{url}places/?decision=open").content.decode()
    assert "<mark>anna@example.org</mark>" in places and "<mark>Anna Meier</mark>" in places
    assert "Decided about 1 place." in post(researcher, f"{url}places/?kind=name", all="1", decision="keep")
    ids = [str(hit.public_id) for hit in Publication.objects.get().hits.undecided()]
    assert "Decided about 2 places." in post(researcher, f"{url}places/", hit=ids, decision="mask")
    assert "They are left out." in post(researcher, url, do="leaks", choice="leave_out")
    page = post(researcher, url, do="describe", title="Council news", licence="CC BY 4.0")
    assert 'value="Council news"' in page and "Write archive" in page
    post(researcher, f"{url}datasheet/", funding="The lab.")

    post(researcher, url, do="write")
    job = run_newest()
    assert "Download archive" in researcher.get(url).content.decode()
    download = researcher.get(reverse("job-download", args=[job.public_id]))
    with zipfile.ZipFile(io.BytesIO(b"".join(download.streaming_content))) as archive:
        names = {name.removeprefix("news-v1.0/") for name in archive.namelist()}
        assert {"README.md", "DATASHEET.md", "croissant.json", "data/summaries/train.parquet"} < names
        assert "The lab." in archive.read("news-v1.0/DATASHEET.md").decode()
        assert "# Council news" in archive.read("news-v1.0/README.md").decode()


def test_the_datasheet_counts_its_gaps(project, researcher):
    publication = make.make_checked(project)
    url = f"/p/news/publish/{publication.public_id}/"
    text_before = researcher.get(url).content.decode()
    sheet = researcher.get(f"{url}datasheet/").content.decode()
    assert "Known to the project: 1 text over 5 sources of" in sheet and "uniform@1" in sheet
    assert "Written by people for this project: 1 text; imported: 0." in sheet
    assert "Known to the project: Yes." in sheet and "need to be corrected" not in sheet
    post(researcher, f"{url}datasheet/", funding="The lab.", ethics="None was needed.")
    n_gaps = int(text_before.split(" questions have no answer")[0].split("\n")[-1].split(" of ")[0])
    assert f"{n_gaps - 2} of 45 questions have no answer yet." in researcher.get(url).content.decode()


def test_texts_without_a_licence_ask_for_a_choice(tmp_path, django_user_model, project, researcher):
    project.documents.update(licence="")
    publication = make.make_checked(project)
    url = f"/p/news/publish/{publication.public_id}/"
    assert "5 texts have no licence." in researcher.get(url).content.decode()
    page = post(researcher, url, do="unlicensed", choice="leave_out")
    assert "Left out; the ids stay." in page
    assert "2 are not decided." in page  # the address is in a text that is left out


def test_a_wrong_tag_and_a_wrong_action_are_refused(project, researcher):
    answer = researcher.post("/p/news/publish/", {"tag": "a b"})
    assert answer.status_code == 422 and b"1 to 60 letters, digits" in answer.content
    publication = make.make_checked(project)
    url = f"/p/news/publish/{publication.public_id}/"
    assert researcher.post(url, {"do": "burn"}).status_code == 404
    assert "Tick the places" in post(researcher, f"{url}places/", decision="mask")
    assert researcher.post(url, {"do": "describe", "homepage": "javascript:alert(1)"}).status_code == 422
    assert "Write archive" not in post(researcher, url, do="write")
    assert not Job.objects.filter(kind="publication-write").exists()


def test_a_failed_job_says_why(project, researcher):
    publication = make.make_ready(project)
    url = f"/p/news/publish/{publication.public_id}/"
    post(researcher, url, do="write")
    project.documents.filter(external_id="e").update(title="Write to eve@example.org")
    run_newest()
    page = researcher.get(url).content.decode()
    assert "The last job failed" in page and "Rows changed since the check." in page
