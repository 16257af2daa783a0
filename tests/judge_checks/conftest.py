"""A project that asks as CCSBench does, with human summaries of both focuses, and judges that answer by rule."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from annotation.models import Annotation, Membership, Role
from annotation.services.people.projects import create_project
from modelbridge.models import Run
from modelbridge.services.runs import runs
from modelbridge.services.systems import systems
from tests.export.factories import add_samples, import_rows, row

ASKED = [
    {"length": "0", "readability": "normal", "focus": "low"},
    {"length": "1", "readability": "high", "focus": "high"},
]
WORDS = {"low": "The idea of part", "high": "We measured part"}


@pytest.fixture
def project(db, tmp_path, monkeypatch, settings):
    """Five papers with a conceptual and an empirical summary each."""
    settings.EPITOME_FAKE_SYSTEMS = True
    other_project = create_project(slug="papers", schema="ccsbench")
    import_rows(other_project, tmp_path, [row(number) for number in range(5)])
    monkeypatch.setattr("tests.export.factories.VALUES", ASKED)
    for document in other_project.documents.order_by("pk"):
        for sample in add_samples(document, n=2):
            text = f"{WORDS[sample.values['focus']]} {sample.pk}."
            Annotation.objects.create(
                project=other_project, sample=sample, schema_version=sample.schema_version, origin="import",
                created_at=timezone.now(), payload={"summary": text, "title": ""},
            )  # fmt: skip
    return other_project


@pytest.fixture
def member(project):
    """A function: role -> (client, user) of a member with it."""

    def make(role: Role, name: str = ""):
        user = User.objects.create_user(name or role.value)
        Membership.objects.create(project=project, user=user, role=role)
        client = Client()
        client.force_login(user)
        return client, user

    return make


@pytest.fixture
def judged(project):
    """A function: (name of the judge, text -> answer) -> its finished run over the human summaries."""

    def judge(name, answer_of):
        toml = f'[system]\nkey = "{name}"\nkind = "fake-judge"\nname = "{name}"\n'
        revision = systems.register_system(project=project, toml_text=toml, by=None)
        run = runs.start_run(
            project=project, revision=revision, by=None, over="references", options={"preset": "focus"}, queue_it=False
        )
        now = timezone.now()
        for output in run.outputs.select_related("sample"):
            annotation = Annotation.objects.get(sample=output.sample)
            label = answer_of(annotation.payload["summary"])
            scores = {"label": label, "of": f"annotation:{annotation.pk}"}
            run.outputs.filter(pk=output.pk).update(state="done", text=label or "?", finished_at=now, scores=scores)
        Run.objects.filter(pk=run.pk).update(state="done", finished_at=now)
        return run

    return judge
