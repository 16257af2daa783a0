"""The site of a round: plain files that name no rater and load nothing from elsewhere."""

import io
import re
import zipfile

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.jobs import run_job
from annotation.models import Role
from annotation.services.core.errors import Conflict
from annotation.services.core.pseudonyms import Pseudonyms
from evaluation.services.monitoring import round_control
from evaluation.services.reports import report_jobs, report_site
from tests.rounds.factories import launch_new_round, make_run, member, project_with_gold, rate_all, raters_of

pytestmark = pytest.mark.django_db
RUN = '[[target]]\nsystem = "lead"\n'


@pytest.fixture
def rated():
    project = project_with_gold(documents=4)
    make_run(project, "lead")
    people = raters_of(project)
    for number, person in enumerate(people[:2]):
        person.username, person.first_name = f"canary-rater-{number}", f"Canaria{number}"
        person.email = f"canary{number}@example.org"
        person.save()
    round_ = launch_new_round(project, n=4, more=RUN)
    rate_all(round_, people[0], "yes")
    rate_all(round_, people[1], "no")
    round_.people = people
    return round_


@pytest.fixture
def reported(rated):
    people = rated.people
    round_ = round_control.apply_action(round_=rated, action="unblind", by=None)
    job = report_jobs.start_report(round_=round_, by=None)
    run_job(job.pk)
    round_.people = people
    return round_


def test_the_site_has_the_report_and_no_rater(reported):
    files = report_site.build_site(reported)
    page = files["index.html"].decode()
    pseudonyms = Pseudonyms(reported.project)

    assert "lead" in page and "<h2>" in page and files["style.css"]
    for person in reported.people:
        for name in (person.username, person.first_name, person.email, pseudonyms.of(person.pk)):
            if name:
                assert not [path for path, content in files.items() if name.encode() in content], name


def test_everything_it_links_is_in_it_and_nothing_comes_from_elsewhere(reported):
    files = report_site.build_site(reported)
    page = files["index.html"].decode()
    links = set(re.findall(r'(?:href|src)="([^"#]+)"', page))

    assert links and links <= set(files)
    assert {path for path in files if path != "index.html"} <= links
    assert "<script" not in page and "://" not in page and "url(" not in files["style.css"].decode()
    ids = set(re.findall(r'id="([^"]+)"', page))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= ids
    assert all(alt for alt in re.findall(r'<img [^>]*alt="([^"]*)"', page))


def test_a_blind_round_and_one_without_a_report_have_no_site(rated, client):
    with pytest.raises(Conflict):
        report_site.build_site(rated)
    client.force_login(member(rated.project, "researcher", Role.RESEARCHER))
    site = reverse("round-site", args=[rated.project.slug, rated.public_id])
    listing = reverse("publications", args=[rated.project.slug])
    assert client.get(site).status_code == 404
    assert "still blind" in client.get(listing).content.decode()
    round_control.apply_action(round_=rated, action="unblind", by=None)
    assert client.get(site).status_code == 404
    assert "its report has not been calculated yet" in client.get(listing).content.decode()


def test_page_and_command_give_the_same_files(reported, client, tmp_path):
    client.force_login(member(reported.project, "researcher", Role.RESEARCHER))
    assert (
        reverse("round-site", args=[reported.project.slug, reported.public_id])
        in client.get(reverse("publications", args=[reported.project.slug])).content.decode()
    )
    answer = client.get(reverse("round-site", args=[reported.project.slug, reported.public_id]))
    call_command("round_site", reported.project.slug, reported.name, "--output", str(tmp_path / "site"))

    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        packed = {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
    written = {str(path.relative_to(tmp_path / "site")): path for path in (tmp_path / "site").rglob("*")}
    assert packed == {name: path.read_bytes() for name, path in written.items() if path.is_file()}
    with pytest.raises(CommandError, match="not empty"):
        call_command("round_site", reported.project.slug, reported.name, "--output", str(tmp_path / "site"))
