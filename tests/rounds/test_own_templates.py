"""Templates of a project's own: by page, command and call, in files beside a round's, and frozen at launch."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.models import AuditEvent, Role
from annotation.services.core.errors import BadInput, Conflict, NotFound
from epitome.rounds.template_writing import build_template_toml
from epitome.rounds.templates import parse_template, template_keys, template_text
from evaluation.models import Round, RoundTemplate
from evaluation.services.rounds import launch as round_launch
from evaluation.services.rounds import own_templates
from tests.rounds.factories import config, launch_new_round, member, project_with_gold, raters_of

pytestmark = pytest.mark.django_db
OWN = """key = "true-or-not"
name = "True or not"
form = "single"
shows = ["source"]
intro = "Read both."

[[question]]
key = "true"
type = "yes-no"
text = "Is it true?"
"""


@pytest.fixture
def project(db):
    other_project = project_with_gold()
    raters_of(other_project)
    return other_project


@pytest.fixture
def client(project) -> Client:
    signed_in = Client()
    signed_in.force_login(member(project, "researcher", Role.RESEARCHER))
    return signed_in


def test_a_template_in_a_round_reads_the_same_when_it_stands_alone():
    import tomllib

    for key in template_keys():
        text = template_text(key)
        assert parse_template(build_template_toml(tomllib.loads(text)), "t.toml") == parse_template(text, "t.toml")


def test_the_page_checks_previews_and_stores(project, client):
    address = reverse("round-template-new", args=[project.slug])
    assert "best-worst" in client.get(address).content.decode()
    faulty = client.post(address, {"do": "check", "toml": OWN.replace("yes-no", "yes-on")})
    assert faulty.status_code == 422 and "template.toml, line 9: question[true].type" in faulty.content.decode()
    preview = client.post(address, {"do": "check", "toml": OWN}).content.decode()
    assert "Is it true?" in preview and 'name="q-true"' in preview and not RoundTemplate.objects.exists()

    stored = client.post(address, {"do": "save", "toml": OWN})

    row = RoundTemplate.objects.get()
    assert stored.headers["Location"] == reverse("round-template", args=[project.slug, row.public_id])
    assert (row.key, row.name) == ("true-or-not", "True or not") and len(row.hash) == 64
    assert "True or not" in client.get(reverse("round-templates", args=[project.slug])).content.decode()
    choices = client.get(reverse("round-new", args=[project.slug]) + "?template=true-or-not").content.decode()
    assert '<option value="true-or-not" selected>True or not</option>' in choices
    assert list(AuditEvent.objects.filter(verb__startswith="round_template").values_list("verb", flat=True)) == [
        "round_template.save"
    ]


def test_a_built_in_template_can_be_the_start(project, client):
    address = reverse("round-template-new", args=[project.slug]) + "?from=likert"
    assert "my-likert" in client.get(address).content.decode()


def test_keys_are_one_templates_own(project):
    own_templates.save_template(project=project, text=OWN, by=None)
    with pytest.raises(Conflict, match="already a template"):
        own_templates.save_template(project=project, text=OWN, by=None)
    with pytest.raises(BadInput, match="built-in template"):
        own_templates.save_template(project=project, text=OWN.replace("true-or-not", "likert"), by=None)
    with pytest.raises(BadInput, match="asks nothing"):
        own_templates.save_template(project=project, text=OWN.partition("[[question]]")[0], by=None)


def test_a_draft_follows_the_template_and_a_launched_round_does_not(project):
    row = own_templates.save_template(project=project, text=OWN, by=None)
    draft = round_launch.make_draft(project=project, text=config(template="true-or-not"), by=None)
    own_templates.save_template(project=project, text=OWN.replace("Is it", "Is all of it"), by=None, row=row)
    round_launch.launch_round(round_=draft, by=None)
    own_templates.save_template(project=project, text=OWN.replace("Is it true?", "Later words"), by=None, row=row)
    own_templates.delete_template(row=row, by=None)

    launched = Round.objects.get(pk=draft.pk)

    assert [question.text for question in launched.rules.questions] == ["Is all of it true?"]
    assert launched.instructions.questions[0].text == "Is all of it true?"
    with pytest.raises(BadInput, match="must be one of"):
        round_launch.make_draft(project=project, text=config(name="Second", template="true-or-not"), by=None)


def test_what_the_template_leaves_open_follows_it_until_the_launch(project):
    row = own_templates.save_template(project=project, text=OWN, by=None)
    text = config(template="true-or-not").replace("raters_per_item = 2\n", "")
    draft = round_launch.make_draft(project=project, text=text, by=None)
    changed = OWN.replace("intro =", "raters_per_item = 1\nintro =")
    own_templates.save_template(project=project, text=changed, by=None, row=row)
    round_launch.launch_round(round_=draft, by=None)
    launched = Round.objects.get()
    assert launched.raters_per_item == launched.rules.raters_per_item == launched.slots.count() // launched.n_items == 1


def test_a_deleted_template_is_a_fault_of_its_draft(project, client):
    row = own_templates.save_template(project=project, text=OWN, by=None)
    draft = round_launch.make_draft(project=project, text=config(template="true-or-not"), by=None)
    client.post(reverse("round-template", args=[project.slug, row.public_id]), {"do": "delete"})
    page = client.get(reverse("round", args=[project.slug, draft.public_id])).content.decode()
    assert not RoundTemplate.objects.exists() and "round.template: must be one of" in page


def test_the_command_stores_checks_and_lists(project, tmp_path, capsys):
    file = tmp_path / "mine.toml"
    file.write_text(OWN)
    call_command("round_template", project.slug, str(file), "--check")
    assert not RoundTemplate.objects.exists()
    call_command("round_template", project.slug, str(file), "--json")
    data = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert data["stored"] is True and data["questions"][0]["key"] == "true"
    file.write_text(OWN.replace("True or not", "Replaced"))
    call_command("round_template", project.slug, str(file))
    call_command("round_template", project.slug)
    assert "true-or-not  Replaced" in capsys.readouterr().out
    file.write_text(OWN.replace("intro", "intra"))
    with pytest.raises(CommandError, match=r'mine\.toml, line 5: intra: unknown key; did you mean "intro"\?'):
        call_command("round_template", project.slug, str(file))


def test_a_template_file_beside_the_rounds_file(project, tmp_path):
    (tmp_path / "mine.toml").write_text(OWN)
    file = tmp_path / "round.toml"
    file.write_text(config(template="mine.toml"))
    call_command("launch_round", project.slug, str(file), "--dry-run")
    call_command("launch_round", project.slug, str(file))
    assert Round.objects.get().instructions.key == "true-or-not"
    for name in ("../mine.toml", "/etc/mine.toml", "absent.toml"):
        file.write_text(config(name="Other", template=name))
        with pytest.raises(CommandError, match=r"lies beside|No such file"):
            call_command("launch_round", project.slug, str(file))


def test_pages_and_calls_read_no_file(project):
    with pytest.raises(BadInput, match="must be one of"):
        launch_new_round(project, text=config(template="mine.toml"))


def test_another_projects_templates_are_not_found(project, client):
    other = project_with_gold("other")
    row = own_templates.save_template(project=other, text=OWN, by=None)
    assert client.get(reverse("round-template", args=[project.slug, row.public_id])).status_code == 404
    with pytest.raises(BadInput):
        round_launch.make_draft(project=project, text=config(template="true-or-not"), by=None)


def test_the_calls_store_replace_check_and_delete(project, client):
    def call(method, path, **data):
        return getattr(client, method)(f"/api/v1/{path}", data or None, content_type="application/json")

    base = f"projects/{project.slug}/round-templates/"
    assert call("post", f"{base}check/", toml=OWN).json()["form"] == "single"
    assert call("post", base, toml=OWN.replace("yes-no", "x")).status_code == 422
    result = call("post", base, toml=OWN)
    assert result.status_code == 201 and call("post", base, toml=OWN).status_code == 409
    path = f"round-templates/{result.json()['id']}/"
    changed = call("put", path, toml=OWN.replace("True or not", "Changed")).json()
    assert changed["name"] == "Changed" and call("get", base).json()["results"][0]["name"] == "Changed"
    assert call("delete", path).status_code == 204 and call("get", path).status_code == 404


def test_a_template_deleted_meanwhile_does_not_come_back(project):
    row = own_templates.save_template(project=project, text=OWN, by=None)
    own_templates.delete_template(row=row, by=None)
    with pytest.raises(NotFound):
        own_templates.save_template(project=project, text=OWN, by=None, row=row)
    own_templates.delete_template(row=row, by=None)
    assert not RoundTemplate.objects.exists()
    verbs = AuditEvent.objects.filter(verb="round_template.delete")
    assert verbs.count() == 1, "what is gone is not deleted twice"


def test_the_page_does_not_overwrite_what_somebody_saved_meanwhile(project, client):
    row = own_templates.save_template(project=project, text=OWN, by=None)
    address = reverse("round-template", args=[project.slug, row.public_id])
    page = client.get(address).content.decode()
    assert f'name="base" value="{row.hash}"' in page
    own_templates.save_template(project=project, text=OWN.replace("Is it", "Is all of it"), by=None, row=row)
    stale = client.post(address, {"do": "save", "toml": OWN.replace("Is it", "Was it"), "base": row.hash})
    assert stale.status_code == 422 and "changed this template meanwhile" in stale.content.decode()
    assert "Is all of it" in RoundTemplate.objects.get().toml
