"""Every page with overlong texts: nothing overflows, overlaps or is cut at any width, and axe finds nothing serious."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from annotation.models import (
    Annotation,
    Candidate,
    Group,
    Job,
    Project,
    Question,
    SourceDocument,
    SourceText,
    Webhook,
    WebhookDelivery,
)
from annotation.models.joining import CrowdLink, Invitation
from evaluation.models import JudgeCheck, Round, RoundTemplate
from evaluation.services.cases import cases
from evaluation.services.changes.change_studies import start_study
from evaluation.services.judge_checks.checked_texts import hash_text, load_texts
from modelbridge.models import Run, System, SystemOutput, TrainingRun
from tests.browser.conftest import DESK
from tests.pages.access_table import PAGES, addresses  # noqa: F401  a fixture
from tests.pages.conftest import World, job, world  # noqa: F401  fixtures

WIDTHS = (360, 390, 1024, 1440, 1920)
SCHEMES = ("light", "dark")
HERE = Path(__file__).parent
AXE = HERE.parents[1] / "node_modules" / "axe-core" / "axe.min.js"
WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
URL = "https://example.org/archive/2026/11/minutes-of-the-meeting-of-the-harbour-council?page=3&section=annex-b"
NO_PAGES = {
    *(
        "ledger-file",
        "import-left-out",
        "statistics-file",
        "job-download",
        "job-state",
        "jobs-ended",
        "run-state",
        "run-file",
    ),
    *("training-state", "round-judgements", "round-judges", "round-design", "round-report-file", "project-tables-file"),
    *("run-changes-file", "cases-file", "contrastive-report-file"),
    *("aggregation-report-file", "rankings-file", "ranking-lists-file", "ranking-case"),
    *("round-report-links", "rounds-together-file", "shared-report", "shared-report-file"),
    *("provider-sign-in", "provider-answer", "sign-in-link"),
    *("setup", "examples-reset", "completion", "consent", "search", "jobs-latest"),
}
"""Files, answers for scripts, and pages that are not there in this project."""
AXE_RUN = """async () => {
  await new Promise(requestAnimationFrame); // colours that still change on their way to the other theme are no fault
  for (const change of document.getAnimations())
    if (change.effect.getComputedTiming().endTime !== Infinity) change.finish();
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
}"""


@pytest.fixture
def crowded(world: World, addresses: dict[str, str]) -> World:  # noqa: F811
    """The project of the access table, with the longest texts that people type and numbers of three digits."""
    long_name = f"{WORD} {URL}"
    Project.objects.filter(pk=world.project.pk).update(name=f"Minutes of {WORD} and others")
    for document in SourceDocument.objects.all():
        SourceDocument.objects.filter(pk=document.pk).update(
            title=f"{document.external_id} {long_name}"[:200], n_words=123_456, external_id=f"{document.pk}-{WORD[:60]}"
        )
    for text in SourceText.objects.all():
        segments = text.segments
        segments[0]["text"] = f"{long_name} {segments[0]['text']}"
        SourceText.objects.filter(pk=text.pk).update(segments_json=json.dumps(segments))
    for annotation in Annotation.objects.all():
        annotation.payload.update(title=long_name, summary=f"{long_name} {annotation.payload.get('summary', '')}")
        Annotation.objects.filter(pk=annotation.pk).update(payload=annotation.payload)
    Group.objects.filter(frozen_at__isnull=False).update(chosen={"topic": [WORD, "harbour council"]})
    for candidate in Candidate.objects.all():
        Candidate.objects.filter(pk=candidate.pk).update(text=f"{candidate.pk} {WORD}", mentions=123)
    RoundTemplate.objects.update(name=WORD)
    for model, field in ((System, "name"), (TrainingRun, "name"), (Run, "label"), (Round, "shown_as"), (Round, "name")):
        for row in model.objects.all():
            model.objects.filter(pk=row.pk).update(**{field: f"{row.pk} {WORD}"[:60]})
    crowd_evaluation(world)
    Invitation.objects.update(name=WORD)
    CrowdLink.objects.update(name=WORD)
    Webhook.objects.update(url=f"https://hooks.example.org/{WORD}?from={URL}", failures=123)
    WebhookDelivery.objects.update(state="failed", attempts=123, error=URL, answer=f"{WORD} {URL}")
    Question.objects.update(text=long_name)
    Job.objects.update(error=long_name, progress_done=123, progress_total=456)
    for user in User.objects.all():
        User.objects.filter(pk=user.pk).update(username=f"{user.username}-{WORD[:40]}")
        user.refresh_from_db()
    for user in world.people.values():
        user.refresh_from_db()
    return world


def crowd_evaluation(world: World) -> None:  # noqa: F811
    """A case with long words, a text to label as it is now, and a study of changed requests."""
    output = SystemOutput.objects.filter(state="done").first()
    SystemOutput.objects.filter(pk=output.pk).update(text=f"{WORD} {URL} The council met.")
    cases.store_case(output=output, label=WORD[:80], note=f"{WORD} {URL}", by=world.people["admin"])
    for check in JudgeCheck.objects.all():
        texts = load_texts(check.project, [origin for origin, _hash in check.texts])
        JudgeCheck.objects.filter(pk=check.pk).update(texts=[[key, hash_text(text)] for key, text in texts.items()])
    Run.objects.filter(pk=output.run_id).update(state="done")
    start_study(run=Run.objects.get(pk=output.run_id), n=2, by=None, queue_it=False)


def visit_pages(open_page, crowded: World, addresses: dict[str, str], site: str) -> Iterator:  # noqa: F811
    """(name, page) of every page, opened by the first person who may see it; one tab per person."""
    tabs = {}
    for name, (method, _what, who) in PAGES.items():
        if method != "get" or name in NO_PAGES:
            continue
        person = next((role for role in ("admin", "site", "annotator", "rater", "reviewer") if role in who), None)
        if person is None:  # nothing to show there in this world
            continue
        if person not in tabs:
            tabs[person] = open_page(crowded.people[person], addresses[name])
        else:
            tabs[person].goto(site + addresses[name])
        yield name, tabs[person]


@pytest.mark.slow
def test_texts_fit_every_page_and_axe_finds_nothing_serious(open_page, crowded, addresses, live_server):  # noqa: F811
    """At every width, in both themes; axe in both themes, where it is installed (npm ci)."""
    script, faults = (HERE / "layout.js").read_text(encoding="utf-8"), {}
    axe = AXE.read_text(encoding="utf-8") if AXE.exists() else ""
    for name, page in visit_pages(open_page, crowded, addresses, live_server.url):
        if axe:
            page.evaluate(f"() => {{ {axe} }}")
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 900})
                for fault in page.evaluate(script):
                    faults.setdefault(f"{name}: {fault}", []).append(f"{width} {scheme}")
            page.set_viewport_size(DESK)
            for fault in page.evaluate(AXE_RUN) if axe else ():
                faults.setdefault(f"{name}: {fault}", []).append(scheme)
    assert not faults, "\n".join(f"{fault} at {', '.join(where)}" for fault, where in faults.items())
