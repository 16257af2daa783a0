"""Cases: outputs kept under a label, beside the output that differs in one value of the request; files for a paper."""

import csv
import io

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.models import AuditEvent, Membership, Project, Role
from annotation.services.withdrawal.texts import TEXT_HOLDERS
from evaluation.models import Case
from evaluation.services.cases import cases
from modelbridge.models import OutputState, Run, SystemOutput
from tests.bridge_pages.conftest import client, predicted, project, tagger  # noqa: F401  fixtures

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]


@pytest.fixture
def run(predicted, tagger):  # noqa: F811
    return predicted(lambda sample: f"Text {sample.pk} & more.", "ours", tagger)


@pytest.fixture
def output(run):
    return run.outputs.select_related("sample__document").order_by("position")[0]


def keep(client, output, **fields):  # noqa: F811
    return client.post(reverse("case-new", args=["runs", output.public_id]), fields)


def test_an_output_is_kept_under_a_label_of_the_list_or_a_new_one(client, output):  # noqa: F811
    page = client.get(reverse("sample-outputs", args=["runs", output.sample.public_id])).content.decode()
    assert reverse("case-new", args=["runs", output.public_id]) in page
    assert keep(client, output, label="topic defocus", note="Drops the topic.").status_code == 302
    assert keep(client, output, new_label="  cut   short ").status_code == 302
    assert set(Case.objects.values_list("label", "note")) == {("topic defocus", "Drops the topic."), ("cut short", "")}
    assert cases.list_labels(output.project)[-1] == "cut short"
    listed = client.get(reverse("cases", args=["runs"])).content.decode()
    assert "Drops the topic." in listed and listed.count(f"Text {output.sample_id} &amp; more.") >= 2
    keep(client, output, label="topic defocus", note="Again.")
    assert Case.objects.get(label="topic defocus").note == "Again."
    assert keep(client, output, note="no label").status_code == 422


def test_a_table_has_the_human_summary_and_several_systems_of_one_request(client, output, predicted, tagger):  # noqa: F811
    theirs = predicted(lambda sample: f"Their {sample.pk}.", "theirs", tagger).outputs.get(sample=output.sample)
    form = client.get(reverse("case-new", args=["runs", output.public_id])).content.decode()
    assert str(theirs.public_id) in form and "Together with" in form
    assert "Theirs (revision 1) · " in form  # two runs of a system are told apart
    keep(client, output, label="topic defocus", others=[str(theirs.public_id)])
    assert Case.objects.filter(label="topic defocus").count() == 2
    rows = [row for _case, row in cases.list_cases(output.project)]
    assert [row.shown.text for row in rows] == [output.text, f"Their {output.sample_id}."]
    gold = rows[0].gold.text
    page = client.get(reverse("cases", args=["runs"])).content.decode()
    assert page.index(gold) < page.index("Text ") < page.index("Their ") and page.count(gold) == 1
    latex = client.get(reverse("cases-file", args=["runs"]) + "?format=latex").content.decode()
    lines = [line for line in latex.splitlines() if "textit" in line]
    assert [line.startswith("{} &") for line in lines] == [False, True, True]
    assert "Human summary" in lines[0] and "Theirs" in lines[2]


def test_the_pair_is_the_output_of_a_changed_request_else_one_of_the_same_run(client, project, run, output):  # noqa: F811
    # Samples of a source: (short, normal, high), (long, full, normal), (normal, high, normal): none differs in one.
    assert not cases.find_pairs(project, [output])
    neighbour = run.outputs.filter(sample__document=output.sample.document).exclude(pk=output.pk)[0]
    neighbour.sample.values = {**output.sample.values, "length": "long"}
    neighbour.sample.save()
    assert cases.find_pairs(project, [output])[output.pk].pk == neighbour.pk
    changed = Run.objects.create(
        project=project, revision=run.revision, over="changed:specificity", n_samples=1, seed=0, state="done",
        options={"base": str(run.public_id), "n": 1, "draw": 1, "values": {str(output.sample_id): "normal"}},
    )  # fmt: skip
    system_output_after = SystemOutput.objects.create(
        project=project, run=changed, sample=output.sample, position=0, work_order=0, state=OutputState.DONE,
        text="Less of it.", finished_at=timezone.now(),
    )  # fmt: skip
    assert cases.find_pairs(project, [output])[output.pk].pk == system_output_after.pk
    keep(client, output, label="length against specificity")
    ((_case, row),) = cases.list_cases(project)
    assert (row.changed, row.pair.text) == ("Specificity", "Less of it.")
    assert ("Specificity", "Normal") in [(label, value.title()) for label, value in row.pair.request]
    assert cases.find_pairs(project, [system_output_after])[system_output_after.pk].pk == output.pk


def test_files_hold_every_case_and_latex_is_escaped(client, output):  # noqa: F811
    keep(client, output, label="topic defocus", note="See 50 %.")
    file = reverse("cases-file", args=["runs"])
    latex = client.get(f"{file}?format=latex").content.decode()
    assert rf"Text {output.sample_id} \& more." in latex and r"\textbf{topic defocus}" in latex
    rows = list(csv.reader(io.StringIO(client.get(f"{file}?format=csv").content.decode("utf-8-sig"))))
    assert rows[0][:4] == ["Case", "System", "Source", "Note"] and rows[1][3] == "See 50 %."
    assert client.get(f"{file}?format=json").json()["key"] == "cases"
    assert client.get(f"{file}?format=exe").status_code == 404


def test_a_case_is_removed_and_its_output_stays(client, output):  # noqa: F811
    keep(client, output, label="topic defocus")
    case = Case.objects.get()
    assert client.post(reverse("cases", args=["runs"]), {"delete": str(case.public_id)}).status_code == 302
    assert not Case.objects.exists() and SystemOutput.objects.filter(pk=output.pk).exists()
    refused = client.post(reverse("cases", args=["runs"]), {"delete": "x"}, follow=True).content.decode()
    assert "There is no such case." in refused
    gone = {"delete": str(case.public_id)}
    assert client.post(reverse("cases", args=["runs"]), gone).status_code == 404


def test_a_withdrawal_empties_the_notes_of_a_person(project, output):  # noqa: F811
    person = User.objects.create_user("researcher")
    Membership.objects.create(project=project, user=person, role=Role.RESEARCHER)
    cases.store_case(output=output, label="topic defocus", note="Mine.", by=person)
    holder = TEXT_HOLDERS["case_notes"]
    projects = Project.objects.filter(pk=project.pk)
    assert holder.count(projects, person.pk) == 1
    holder.empty(projects, person.pk)
    assert Case.objects.get().note == "" and holder.count(projects, person.pk) == 0


def test_the_list_takes_as_many_queries_for_many_cases_as_for_few(project, run):  # noqa: F811
    outputs = list(run.outputs.select_related("project", "sample__document", "run")[:6])
    by = User.objects.create(username="someone")

    def count_queries():
        with CaptureQueriesContext(connection) as queries:
            cases.list_cases(project)
        return len(queries)

    cases.store_case(output=outputs[0], label="topic defocus", note="", by=by)
    few = count_queries()
    for output in outputs[1:]:
        cases.store_case(output=output, label="topic defocus", note="", by=by)
    assert count_queries() == few


def test_files_hold_the_cases_that_the_page_leaves_out(client, run, monkeypatch):  # noqa: F811
    monkeypatch.setattr(cases, "MAX_LISTED", 1)
    monkeypatch.setattr(cases.list_cases, "__defaults__", (1,))
    for output in run.outputs.select_related("project")[:2]:
        keep(client, output, label="topic defocus")
    assert "1 more case is in the files" in " ".join(
        client.get(reverse("cases", args=["runs"])).content.decode().split()
    )
    file = client.get(reverse("cases-file", args=["runs"]) + "?format=csv").content.decode("utf-8-sig")
    assert len(list(csv.reader(io.StringIO(file)))) == 3


def test_keeping_and_removing_a_case_is_recorded(client, output):  # noqa: F811
    keep(client, output, label="topic defocus", note="n")
    case = Case.objects.get()
    client.post(reverse("cases", args=["runs"]), {"delete": str(case.public_id)})
    events = AuditEvent.objects.filter(verb__startswith="case.").order_by("pk")
    assert [(event.verb, event.target, event.detail["label"]) for event in events] == [
        ("case.keep", f"case:{case.public_id}", "topic defocus"),
        ("case.delete", f"case:{case.public_id}", "topic defocus"),
    ]
