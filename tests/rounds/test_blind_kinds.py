"""The search for canaries in the other kinds of rounds, and at every address of the site.

Beside systems, runs and rounds, what else a team names carries a canary: uploads, splits, trainings, practice answers,
releases, publications and writers.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from annotation.models import Job, PracticeItem, Project, Publication, Release, Role, SourceDocument, SourceImport
from annotation.services.people import crowd_links
from epitome.formats.reading import input_file
from evaluation.models import ItemAssignment, Round, RoundRater
from evaluation.services.rating import outside_import
from modelbridge.models import Run, System, SystemOutput, SystemRevision, TrainingGroup, TrainingRun
from tests.outside.factories import TEXTS, judged, pearmut_file
from tests.people.test_crowd_raters import CODES, CROWD, ID
from tests.practice.factories import store_item
from tests.rounds.aggregations import aggregation_kind, aggregation_project, answer_all  # noqa: F401  a fixture
from tests.rounds.crawling import Watch, answer_wrongly, ask_every_route, canary, crawl
from tests.rounds.factories import config, launch_new_round, make_run, member, project_with_gold, raters_of
from tests.tasks.factories import make_people

pytestmark = pytest.mark.django_db
TEMPLATES = ("error-spans-mqm", "error-spans-esa", "likert", "attribute-identification", "best-worst", "ranking")
KINDS = (*TEMPLATES, "aggregation", "crowd", "outside")
Made = tuple[Round, User, list[str]]


def name_systems(project: Project, keys: list[str]) -> list[str]:
    """Canaries for the names of systems, the labels of runs and the hashes of configurations; all of them."""
    names = []
    for key in keys:
        names += [key, canary(), canary(), hashlib.sha256(key.encode()).hexdigest()]
        System.objects.filter(project=project, key=key).update(name=names[-3])
        Run.objects.filter(revision__system__key=key).update(label=names[-2])
        SystemRevision.objects.filter(system__key=key).update(config_hash=names[-1])
    return [*names, *(str(run.public_id) for run in Run.objects.filter(project=project))]


def name_the_rest(project: Project) -> list[str]:
    """A canary for whatever else the team names and a rater has no part in."""
    names = [canary() for _ in range(11)]
    admin = User.objects.create(username=names[0])
    SourceImport.objects.filter(project=project).update(file_name=f"{names[1]}.jsonl")
    SourceDocument.objects.filter(project=project).update(split=names[2], origin_id=names[3])
    arguments = {"file_name": f"{names[4]}.jsonl"}
    Job.objects.create(kind="import", project=project, requested_by=admin, arguments=arguments, state="failed")
    group = TrainingGroup.objects.create(project=project, key=names[5], name=names[5], axes={})
    TrainingRun.objects.create(project=project, group=group, key=names[6], name=names[7])
    Release.objects.create(project=project, tag=names[8], rows={})
    Publication.objects.create(project=project, tag=names[9])
    if project.kind == "summary":
        item = store_item(project, admin, right={"length": {"low": 1, "high": 9}})
        PracticeItem.objects.filter(pk=item.pk).update(reason=names[10], right={"chosen": {names[10]: []}})
    return names


def make_plain(template: str) -> Made:
    keys, name = [canary(), canary()], canary()
    project = project_with_gold(documents=8)
    for key, text in zip(keys, ("One text of topic 1.", "Another text, longer, of topic 1."), strict=True):
        make_run(project, key, text=text)
    (rater,) = raters_of(project, 1)
    targets = "".join(f'[[target]]\nsystem = "{key}"\n' for key in keys)
    round_ = launch_new_round(
        project, text=config(name=name, template=template, n=3, n_raters=1, more=targets), read=False
    )
    return round_, rater, [name, *name_systems(project, keys), *name_the_rest(project)]


def make_aggregation() -> Made:
    """Golds of three writers, whose names are canaries."""
    key, name = canary(), canary()
    project = aggregation_project()
    writers = make_people(3, project)
    answer_all(project, writers)
    names = [canary() for _ in writers]
    for writer, word in zip(writers, names, strict=True):
        User.objects.filter(pk=writer.pk).update(username=word)
    make_run(project, key, text="The Painters.")
    (rater,) = raters_of(project, 1)
    text = config(name=name, template="aggregation", n=4, n_raters=1, more=f'[[target]]\nsystem = "{key}"\n')
    round_ = launch_new_round(project, text=text, read=False)
    return round_, rater, [name, *names, *name_systems(project, [key]), *name_the_rest(project)]


def make_crowd() -> Made:
    """Who rates came by a link, and has no other part in the project."""
    key, name, link_name = canary(), canary(), canary()
    project = project_with_gold()
    make_run(project, key, text="One text of topic 1.")
    text = config(name=name, n=4, n_raters=1, more=f'[[target]]\nsystem = "{key}"\n{CROWD}')
    round_ = launch_new_round(project, text=text, read=False)
    admin = member(project, "admin", Role.ADMIN)
    values = {"name": link_name, "tasks": 2, "max_uses": 5, "role": "rater", "target": str(round_.public_id), **CODES}
    link, _plain = crowd_links.make_link(project=project, by=admin, link_settings=crowd_links.LinkSettings(**values))
    visit = crowd_links.Visit(external_id=f"{ID}1", study="", session="")
    rater = crowd_links.enter_study(link=link, visit=visit).user
    return round_, rater, [name, link_name, *name_systems(project, [key]), *name_the_rest(project)]


def make_outside(folder: Path) -> Made:
    """A file of another tool has answers to the items; its person, its name and its systems are canaries."""
    keys, name, person, file_name = [canary(), canary()], canary(), canary(), canary()
    project = project_with_gold(documents=3)
    for key, texts in zip(keys, TEXTS.values(), strict=True):
        outputs = SystemOutput.objects.filter(run=make_run(project, key, text="Nothing happened.")).order_by("pk")
        for output, said in zip(outputs, texts, strict=False):
            SystemOutput.objects.filter(pk=output.pk).update(text=said)
    (rater,) = raters_of(project, 1)
    targets = "".join(f'[[target]]\nsystem = "{key}"\n' for key in keys)
    text = config(name=name, template="error-spans-esa", n=6, n_raters=1, more=targets)
    round_ = launch_new_round(project, text=text.replace('[[target]]\nkind = "gold"\n', ""), read=False)
    path = pearmut_file(folder, judged(person, TEXTS["sysA"][0], keys[0]), name=f"{file_name}.json")
    outside_import.import_answers(round_=round_, file=input_file(path), mapping={}, by=None)
    assert RoundRater.objects.filter(round=round_, outside_name=person).exists()
    return round_, rater, [name, person, file_name, *name_systems(project, keys), *name_the_rest(project)]


@pytest.fixture
def make(tmp_path, aggregation_kind) -> Callable[[str], Made]:  # noqa: F811
    others = {"aggregation": make_aggregation, "crowd": make_crowd, "outside": lambda: make_outside(tmp_path)}
    return lambda kind: others[kind]() if kind in others else make_plain(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_no_byte_names_anything_of_the_team(make, kind):
    round_, rater, secret = make(kind)
    watch = Watch(rater)
    crawl(watch, round_.project, round_)
    item_pages = [text for text in watch.seen if b'"summaries"' in text and b'"openapi"' not in text]
    assert len(item_pages) >= 3, "too little was rated to say anything"
    assert watch.leaks(secret) == []


def test_no_address_and_no_refusal_tells_anything(make):
    """Every route with the ids that a rater knows, and answers that are refused in each way."""
    round_, rater, secret = make("error-spans-mqm")
    watch = Watch(rater)
    crawl(watch, round_.project, round_)
    view = ItemAssignment.objects.filter(round=round_, rater=rater).order_by("pk")[0]
    statuses = answer_wrongly(watch, str(view.public_id))
    assert {400, 405, 422} <= statuses
    assert ask_every_route(watch, round_.project.slug, [str(round_.public_id), str(view.public_id)]) > 300
    assert watch.leaks(secret) == []
