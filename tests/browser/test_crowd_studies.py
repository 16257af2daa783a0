"""The page of a study on Prolific with everything on it: it fits, and axe finds nothing."""

import os
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Annotation, BonusBatch, BonusPayment, CrowdWorker
from annotation.services.people import crowd_links
from annotation.services.people.crowd_outcomes import note_completed, worker_progress
from annotation.services.tasks import claim, submit
from tests.browser.conftest import DESK, PHONE
from tests.browser.test_every_page import AXE, AXE_RUN, HERE, SCHEMES
from tests.crowd_studies.factories import make_crowd_study
from tests.tasks.factories import make_project, pass_gate, payload

SHOTS = os.environ.get("EPITOME_SHOTS", "")


@pytest.fixture
def study(transactional_db, settings):
    """Submissions that pass and do not, a proposed bonus, and payments that are unclear."""
    settings.EPITOME_PROLIFIC_TOKEN = "unused"
    project = make_project("news", documents=3, frozen=True, claim_unit="sample", pay_per_hour=12, pay_currency="GBP")
    study = make_crowd_study(project, platform_id="6921aa0f3c", status="ACTIVE", places=20)
    study.link.max_uses = 20
    study.link.save()
    rows = [(f"5f1d2a77c0ffee000000000{n}", status) for n, status in enumerate(["APPROVED"] * 2 + ["AWAITING REVIEW"])]
    for external_id, status in rows:
        visit = crowd_links.Visit(external_id, "s", "x")
        worker = crowd_links.enter_study(link=study.link, visit=visit)
        pass_gate(project, worker.user)
        task = claim.claim_next(project=project, annotator=worker.user).assignment
        submit.submit_task(assignment=task, payload=payload(), idempotency_key=external_id)
        Annotation.objects.filter(assignment=task).update(timings={"active_seconds": 3000})
        note_completed(worker_progress(project, worker.user))
        code = study.link.code
        study.submissions.create(platform_id=f"69{external_id}", worker=worker, status=status, entered_code=code)
    study.submissions.create(platform_id="69ffee", status="AWAITING REVIEW", error="Prolific refused (400): no.")
    settings_of_another = crowd_links.LinkSettings(name="December", tasks=1, max_uses=10)
    crowd_links.make_link(project=project, by=None, link_settings=settings_of_another)
    return study


def show_unclear(study) -> None:
    batch = BonusBatch.objects.create(
        study=study, state="uncertain", error="The connection to Prolific broke off.", sent_at=timezone.now()
    )
    BonusPayment.objects.create(batch=batch, submission=study.submissions.first(), amount=700, minutes=50)


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: npm ci")
def test_a_study_fits_and_is_accessible(study, open_page):
    layout, axe = (HERE / "layout.js").read_text(encoding="utf-8"), AXE.read_text(encoding="utf-8")
    admin = User.objects.create_superuser("admin")
    paths = ["/p/news/members/studies/", f"/p/news/members/studies/{study.public_id}/"]
    page = open_page(admin, paths[0])
    for number, path in enumerate([*paths, paths[1]]):
        if number == 2:
            show_unclear(study)
        page.goto(page.url.partition("/p/")[0] + path)
        page.evaluate(f"() => {{ {axe} }}")
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            for size in (DESK, PHONE):
                page.set_viewport_size(size)
                assert page.evaluate(layout) == []
                if SHOTS:
                    name = f"study-{number}-{scheme}-{size['width']}.png"
                    page.screenshot(path=str(Path(SHOTS) / name), full_page=True)
            assert page.evaluate(AXE_RUN) == []
    assert CrowdWorker.objects.count() == 3
    expect(page.get_by_text("Unclear, the answer was lost")).to_be_visible()
    expect(page.get_by_role("button", name="Read bonuses from Prolific")).to_be_visible()
    expect(page.get_by_role("button", name="Approve 1 submission that passes the rules")).to_be_visible()
