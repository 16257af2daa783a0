"""The writes that no call of the API makes, by name: what each needs is made first, then comes the write.

ELSEWHERE: those that are broken in tests of their own room.
"""

import threading
from collections.abc import Callable
from typing import Any
from unittest import mock

from django.contrib.auth.models import User
from django.test import override_settings
from django.utils import timezone

from annotation.jobs import heartbeats
from annotation.models import Assignment, PilotSample, PoolExit, Project, Role, Sample, WorkerHeartbeat
from annotation.services.accounts import api_tokens, first_passwords, second_factor, sessions, sign_in_throttle
from annotation.services.backup import site_restore
from annotation.services.guidelines import gate
from annotation.services.inspection import queue as inspection_queue
from annotation.services.inspection import weekly_sample
from annotation.services.overlap import marks as overlap_marks
from annotation.services.people import (
    consent,
    crowd_links,
    crowd_outcomes,
    first_admin,
    invitation_lists,
    invitations,
    members,
    projects,
    quotas,
    skipped_steps,
)
from annotation.services.pilot import decisions as pilot_decisions
from annotation.services.pilot import setup as pilot_setup
from annotation.services.sources import damaged
from annotation.services.staff import header_counts, reannotation, reassignment, release_and_void, skipped_samples
from annotation.services.tasks import (
    assignments,
    claim,
    leases,
    pilot_gate,
    questions,
    revisions,
    skip,
)
from annotation.services.tasks import (
    choose as choose_step,
)
from epitome.schema import preset_text
from evaluation.models import Round
from evaluation.services.aggregations.ranking_lists import make_ranking_lists
from evaluation.services.monitoring import round_control
from evaluation.services.reports import adjudication, disagreement_counts, report_jobs
from evaluation.services.rounds import instructions as round_instructions
from evaluation.services.rounds import launch as round_launch
from evaluation.services.rounds import rater_eligibility
from modelbridge.models import Run, System, SystemRevision
from modelbridge.services.runs import output_leases, runs, system_tests
from tests.inspection.factories import save_inspection
from tests.people import factories as second_factors
from tests.pilot.factories import REASON
from tests.rankings.factories import freeze, make_aggregation_project
from tests.rounds.factories import config, launch_new_round, make_run, project_with_gold, rate_all
from tests.tasks.account_writes import ACCOUNT_WRITES
from tests.tasks.aggregation_writes import AGGREGATION_WRITES
from tests.tasks.analysis_writes import ANALYSIS_WRITES
from tests.tasks.construction_writes import CONSTRUCTION_WRITES
from tests.tasks.contrastive_writes import CONTRASTIVE_WRITES
from tests.tasks.factories import make_people, make_project
from tests.tasks.job_writes import JOB_WRITES
from tests.tasks.overlap_writes import OVERLAP_WRITES
from tests.tasks.practice_writes import PRACTICE_WRITES
from tests.tasks.publication_writes import PUBLICATION_WRITES
from tests.tasks.refine_writes import REFINE_WRITES
from tests.tasks.round_writes import ROUND_WRITES
from tests.tasks.run_writes import RUN_WRITES
from tests.tasks.several_writes import TRIES, Several
from tests.tasks.study_writes import STUDY_WRITES
from tests.tasks.summary_file_writes import SUMMARY_FILE_WRITES
from tests.tasks.webhook_writes import WEBHOOK_WRITES

Work = Callable[[], Any]
PASSWORD = "long-enough-for-anybody"
FAR = "2999-01-01T00:00:00Z"


def fresh(world: Any) -> Any:
    """A first claim of somebody new."""
    (first,) = make_people(1, world.project, start=90)
    return lambda: claim.claim_next(project=world.project, annotator=first)


def suggested(world: Any) -> Work:
    """A first claim whose samples have suggested texts."""
    run = make_run(world.project, "suggesting")
    Project.objects.filter(pk=world.project.pk).update(
        assistance=Project.Assistance.SUGGESTED, suggestions_from=f"run:{run.public_id}"
    )
    world.project.refresh_from_db()
    return fresh(world)


def choose(_world: Any) -> Work:
    project = make_project("unchosen", documents=1)
    (first,) = make_people(1, project, start=91)
    task = claim.claim_next(project=project, annotator=first).assignment
    chosen = {"topic": [{"text": "topic 1", "candidate": "topic 1"}]}
    return lambda: choose_step.save_choice(
        assignment=assignments.get_own_assignment(first, task.public_id), chosen=chosen
    )


def enter(world: Any) -> Work:
    return lambda: crowd_links.enter_study(link=world.crowd_link, visit=crowd_links.Visit("abc123", "", ""))


def complete(world: Any) -> Work:
    worker = enter(world)()
    quotas.set_quota(project=world.project, users=[worker.user], max_tasks=0, by=world.people["admin"])
    return lambda: crowd_outcomes.note_completed(crowd_outcomes.worker_progress(world.project, worker.user))


def crowd_rater(world: Any) -> Work:
    consent.publish_version(project=world.project, purpose="Research.", text="Agree.", by=None)
    settings = {"name": "r", "tasks": 1, "max_uses": 5, "role": "rater", "target": str(world.view.round.public_id)}
    link, _plain = crowd_links.make_link(
        project=world.project, by=world.people["admin"], link_settings=crowd_links.LinkSettings(**settings)
    )
    return lambda: crowd_links.enter_study(link=link, visit=crowd_links.Visit("abc124", "", ""), agreed=1)


def agreed(world: Any) -> Work:
    worker = enter(world)()
    consent.publish_version(project=world.project, purpose="Research.", text="Agree.", by=None)
    return lambda: consent.agree(project=world.project, user=worker.user, number=1)


def unflag(world: Any) -> Work:
    admin = world.people["admin"]
    damaged.flag_damaged(document=world.document, reason="cut", by=admin)
    return lambda: damaged.unflag_damaged(document=world.document, by=admin)


def confirm(world: Any) -> Work:
    who = world.people["idle"]
    signed = {"number": 1, "statement_hash": gate.hash_of(gate.statement_text(world.project)), "allows_record": True}
    return lambda: gate.confirm_guideline(project=world.project, user=who, **signed)


def sign_up(world: Any) -> Work:
    return lambda: invitations.sign_up(invitation=world.invitation, username="newcomer", password=PASSWORD)


def accept(world: Any) -> Work:
    return lambda: invitations.accept_invitation(invitation=world.invitation, user=world.people["idle"])


def account(world: Any) -> Work:
    return lambda: members.create_person(username="newcomer", password=PASSWORD, by=world.people["admin"])


def password_changed(world: Any) -> Work:
    first_passwords.require_change(world.people["rater"])
    return lambda: first_passwords.note_changed(world.people["rater"])


def invited_by_list(world: Any) -> Work:
    lines = invitation_lists.parse_addresses("a@example.org\nb@example.org")
    values = {"lines": lines, "roles": ["annotator"], "days": 3, "by": world.people["admin"]}
    return lambda: invitation_lists.create_invitations(project=world.project, **values)


def first_account(_world: Any) -> Work:
    values = {"username": "first", "password": PASSWORD, "email": "", "address": "192.0.2.1"}

    def create() -> None:
        with override_settings(EPITOME_SETUP_PAGE=True), mock.patch.object(User.objects, "exists", lambda: False):
            first_admin.create_first_admin(code=first_admin.get_code(), **values)

    return Several(create, writes=2, counts_tries=TRIES)


def setup_tried(_world: Any) -> Work:
    return lambda: sign_in_throttle.begin_setup_try(address="192.0.2.1")


def roles(change: Any) -> Callable[[Any], Work]:
    return lambda world: (
        lambda: change(project=world.project, users=[world.people["rater"]], role="rater", by=world.people["admin"])
    )


def given(world: Any) -> Work:
    users = [world.people["rater"], world.people["annotator"]]
    return lambda: members.give_role(project=world.project, users=users, role="reviewer", by=world.people["admin"])


def closed(world: Any) -> Work:
    who, by = world.people["rater"], world.people["site"]
    return lambda: members.close_account(project=world.project, user=who, by=by)


def quota(world: Any) -> Work:
    users = [world.people["annotator"], world.people["rater"]]
    return lambda: quotas.set_quota(project=world.project, users=users, max_tasks=9, by=world.people["admin"])


def resumed(world: Any) -> Work:
    fields = {"project": world.project, "users": [world.people["annotator"]], "by": world.people["admin"]}
    quotas.pause_members(**fields)
    return lambda: quotas.resume_members(**fields)


def paused_by_rule(world: Any) -> Work:
    fields = {"project": world.project, "user_id": world.people["annotator"].pk}
    return lambda: quotas.pause_by_rule(reason={"rule": "returned", "n": 3}, **fields)


def with_pilot(world: Any) -> dict[str, Any]:
    from tests.api.access_table import ensure_pilot

    return ensure_pilot(world)


def pilot_sample(world: Any) -> Work:
    sample = pilot_setup.choosable_samples(world.project).order_by("pk")[0]
    return lambda: pilot_setup.add_sample(project=world.project, sample=sample, by=world.people["admin"])


def admitted(world: Any) -> Work:
    with_pilot(world)
    room = pilot_gate.pilot_of(world.project)
    return lambda: pilot_gate.admit_candidate(pilot=room, user=world.people["idle"].pk, by=world.people["admin"])


def invited(world: Any) -> Work:
    with_pilot(world)
    make_people(2, world.project, start=92)
    return lambda: pilot_decisions.invite_annotators(project=world.project, by=world.people["admin"])


def reopened(world: Any) -> Work:
    with_pilot(world)
    by = world.people["admin"]
    candidate = PilotSample.objects.get().pilot.candidates.get()
    pilot_decisions.decide_candidate(candidate=candidate, verdict="qualified", reason=REASON, by=by)
    candidate.refresh_from_db()
    return lambda: pilot_decisions.reopen_candidate(candidate=candidate, reason=REASON, by=by)


def synced(world: Any) -> Work:
    with_pilot(world)
    (first,) = make_people(1, world.project, start=95)
    Project.objects.filter(pk=world.project.pk).update(lease_minutes=8)
    begun(world)
    room = pilot_gate.pilot_of(world.project)
    pilot_gate.admit_candidate(pilot=room, user=first.pk, by=None)
    return lambda: pilot_gate.next_in_pilot(Project.objects.get(pk=world.project.pk), first)


def schema(world: Any) -> Work:
    text = preset_text("macsum-doc") + "\n# another\n"
    return lambda: projects.new_schema_version(project=world.project, text=text, by=world.people["admin"])


def lengths_in_words(world: Any) -> Work:
    return lambda: projects.give_lengths_in_words(project=world.project, by=world.people["admin"])


def put_away(world: Any) -> Work:
    questions.answer_question(question=world.question, by=world.people["admin"], text="Yes.", kind="private")
    return lambda: questions.mark_answer_seen(question=world.question)


def own(world: Any) -> Assignment:
    assignment = Assignment.objects.get(annotator=world.people["annotator"], state="submitted")
    return assignments.get_own_assignment(world.people["annotator"], assignment.public_id)


def taken_back(world: Any) -> Work:
    task = own(world)
    return lambda: revisions.take_back(assignment=task)


def left_as_is(world: Any) -> Work:
    revisions.take_back(assignment=own(world))
    task = assignments.get_own_assignment(world.people["annotator"], own_returned(world).public_id)
    return lambda: revisions.leave_as_is(assignment=task)


def own_returned(world: Any) -> Assignment:
    return Assignment.objects.get(annotator=world.people["annotator"], state="returned")


def bulk(world: Any) -> Work:
    fields = {
        "project": world.project,
        "person": world.people["annotator"],
        "kind": "void",
        "by": world.people["admin"],
    }
    n = release_and_void.attempts_of(world.project, world.people["annotator"], "void", release_and_void.ALWAYS).count()
    return lambda: release_and_void.run_action(expect=n, **fields)


def handed_on(world: Any) -> Work:
    (other,) = make_people(1, world.project, start=93)
    fields = {"project": world.project, "person": world.people["annotator"], "other": other}
    n = Assignment.objects.filter(annotator=world.people["annotator"], state="claimed").count()
    return lambda: reassignment.reassign_tasks(expect=n, by=world.people["admin"], **fields)


def kept(world: Any) -> Work:
    fields = {"project": world.project, "person": world.people["annotator"], "by": world.people["admin"]}
    return lambda: reassignment.reserve_slots(n=1, expect=1, **fields)


def run_out(_world: Any) -> Work:
    return lambda: leases.expire_leases(now=FAR)


def in_full(world: Any) -> Work:
    week = weekly_sample.week_of(world.annotation.created_at, world.project)
    fields = {"annotator": world.people["annotator"].pk, "by": world.people["admin"]}
    return lambda: weekly_sample.inspect_in_full(project=world.project, week=week, **fields)


def compared(world: Any) -> Work:
    ids = with_pilot(world)
    by = world.people["reviewer"]
    mark = overlap_marks.mark_sample(sample=Sample.objects.get(public_id=ids["samples"]), choice="all", by=by)
    return lambda: overlap_marks.undo_mark(mark=mark, by=by)


def restarted(world: Any) -> Work:
    with_pilot(world)
    (first,) = make_people(1, world.project, start=94)
    task = claim.claim_next(project=begun(world), annotator=first).assignment
    assert task is not None
    leases.release_task(assignment=task)
    return lambda: pilot_setup.start_over(project=world.project, by=world.people["admin"])


def begun(world: Any) -> Project:
    Project.objects.filter(pk=world.project.pk).update(needs_pilot=True)
    return Project.objects.get(pk=world.project.pk)


def left_pool(world: Any) -> PoolExit:
    sample = Sample.objects.filter(project=world.project)[0]
    return PoolExit.objects.create(project=world.project, sample=sample, skips=2, at=timezone.now())


def put_back(world: Any) -> Work:
    gone = left_pool(world)
    return lambda: skipped_samples.put_sample_back(exit=gone, by=world.people["admin"])


def redrawn(world: Any) -> Work:
    gone = left_pool(world)
    source = skipped_samples.find_redraw_source(gone)
    return lambda: skipped_samples.redraw_sample(exit=gone, by=world.people["admin"], expect=str(source.public_id))


def skipped(world: Any) -> Work:
    Project.objects.filter(pk=world.project.pk).update(skip_limit=1)
    skip.skip_task(assignment=world.task, reason="other")
    return skipped_samples.retire_skipped_samples


def factor(world: Any) -> Work:
    return lambda: second_factor.begin_setup(world.people["admin"])


def later(world: Any) -> Round:
    return round_launch.make_draft(
        project=world.project, text=config(name="Later", n=1, n_raters=1), by=world.people["admin"]
    )


def round_changed(world: Any) -> Work:
    draft, text = later(world), config(name="Never", n=1, n_raters=1)
    return lambda: round_launch.change_draft(round_=draft, text=text, by=world.people["admin"])


def round_dropped(world: Any) -> Work:
    draft = later(world)
    return lambda: round_launch.drop_draft(round_=draft, by=world.people["admin"])


def round_launched(world: Any) -> Work:
    make_people(1, world.project, Role.RATER, start=96)
    draft = later(world)
    return lambda: round_launch.launch_round(round_=Round.objects.get(pk=draft.pk), by=world.people["admin"])


def accepted_week(world: Any) -> Work:
    by = world.people["reviewer"]
    week = weekly_sample.week_of(world.annotation.created_at, world.project)
    weekly_sample.draw_week(project=world.project, week=week)
    save_inspection(world.annotation, by)
    return lambda: inspection_queue.accept_undecided(
        project=world.project, week=week, annotator=world.people["annotator"].pk, expected=0, by=by
    )


def new_token(world: Any) -> Work:
    return lambda: api_tokens.create_token(user=world.people["admin"], name="x")


def token_used(world: Any) -> Work:
    _row, plain = api_tokens.create_token(user=world.people["admin"], name="x")
    return lambda: api_tokens.find_token(plain)


def tried(_world: Any) -> Work:
    return lambda: sign_in_throttle.begin_password_try(account="annotator", address="192.0.2.1")


def reset_asked(_world: Any) -> Work:
    return lambda: sign_in_throttle.begin_reset(email="annotator1@example.org", address="192.0.2.1")


def worker_seen(_world: Any) -> Work:
    return heartbeats.Heartbeat(["default"], threading.Event()).beat


def worker_gone(_world: Any) -> Work:
    heartbeat = heartbeats.Heartbeat(["default"], threading.Event())
    heartbeat.beat()
    return heartbeat.end


def old_workers_gone(world: Any) -> Work:
    worker_seen(world)()
    WorkerHeartbeat.objects.update(seen_at=timezone.now() - 2 * heartbeats.KEPT_FOR)
    return heartbeats.delete_old_heartbeats


def out_everywhere(world: Any) -> Work:
    world.signed_in("annotator")
    return lambda: sessions.end_sessions(world.people["annotator"])


def turned_on(world: Any) -> tuple[Any, list[str]]:
    """Somebody with a second factor, some time ago."""
    user = world.people["admin"]
    return user, second_factors.turn_on_second_factor(user)


def by_code(change: Any) -> Callable[[Any], Several]:
    """The try is counted whatever comes of it, and what the code is for is one write: no code is spent for nothing."""

    def made(world: Any) -> Several:
        user, _codes = turned_on(world)
        fields = {"user": user, "code": second_factors.current_code(user), "address": second_factors.ADDRESS}
        return Several(lambda: change(**fields), writes=2, counts_tries=TRIES)

    return made


def factor_on(world: Any) -> Several:
    """The try is counted, then all of it is on."""
    user = world.people["admin"]
    second_factor.begin_setup(user)
    fields = {"user": user, "code": second_factors.current_code(user), "address": second_factors.ADDRESS}
    return Several(lambda: second_factor.confirm_setup(**fields), writes=2, counts_tries=TRIES)


def recovered(world: Any) -> Several:
    user, codes = turned_on(world)
    fields = {"user": user, "code": codes[0], "address": second_factors.ADDRESS}
    return Several(lambda: second_factor.check_code(**fields), writes=2, counts_tries=TRIES)


def factor_reset(world: Any) -> Work:
    user, _codes = turned_on(world)
    world.signed_in("admin")
    return lambda: second_factor.reset_second_factor(user=user, by=world.people["site"])


def try_ended(world: Any) -> Work:
    fields = {"account": "annotator", "address": "192.0.2.1"}
    return lambda: sign_in_throttle.end_password_try(user_id=world.people["annotator"].pk, **fields)


def account_and_role(world: Any) -> Work:
    caller = world.signed_in("admin").client
    form = {"username": "newcomer", "password": PASSWORD, "email": "", "role": "rater"}
    result = {"do": "account"} | {f"account-{key}": value for key, value in form.items()}
    return lambda: caller.post("/p/news/members/", result).status_code == 200 or 500


def again_under_new_rules(world: Any) -> Work:
    by = world.people["admin"]
    projects.new_guideline_version(project=world.project, text="# Other rules", change="rule", note="Shorter.", by=by)
    fields = {"project": world.project, "action": "return", "chosen": [own(world).public_id]}
    return lambda: reannotation.carry_out(by=by, **fields)


def disputed() -> tuple[Any, Any]:
    """A project, and its unblinded round whose raters disagree."""
    project = project_with_gold("gold", documents=1)
    first, second = make_people(2, project, Role.RATER, start=97)
    round_ = launch_new_round(project, n=1)
    rate_all(round_, first, "yes")
    rate_all(round_, second, "no")
    return project, round_control.apply_action(round_=round_, action="unblind", by=None)


def decided(_world: Any) -> Work:
    project, result = disputed()
    disagreement = adjudication.list_disputes(result)[0].disagreement
    (judge,) = make_people(1, project, Role.RESEARCHER, start=99)
    fields = {
        "round_": result,
        "item": disagreement.item,
        "question": disagreement.question,
        "answer": "no",
        "note": "",
    }
    return lambda: adjudication.store_decision(by=judge, **fields)


def disagreements_counted(_world: Any) -> Work:
    disputed()
    return disagreement_counts.count_disagreements


def cleared(world: Any) -> Work:
    fields = {"round_": world.view.round, "rater": world.people["rater"], "document": world.document}
    return lambda: rater_eligibility.clear_source(reason="agreed", by=world.people["admin"], **fields)


def instructed(world: Any) -> Work:
    round_, rater = world.view.round, world.people["idle"]
    result = round_instructions.instructions_hash(round_)
    return lambda: round_instructions.confirm_instructions(round_=round_, rater=rater, shown_hash=result)


def qualified(_world: Any) -> Work:
    project = project_with_gold("gold", documents=1)
    (rater,) = make_people(1, project, Role.RATER, start=97)
    round_ = launch_new_round(project, n=1, n_raters=1, head="qualification = 1.0")
    by_key = {
        f"{number}-{key}": answer
        for number, example in enumerate(round_instructions.qualifying_examples(round_))
        for key, answer in example.answers.items()
    }
    return lambda: round_instructions.submit_qualification(round_=round_, rater=rater, answers=by_key)


def reported(world: Any) -> Work:
    result = round_control.apply_action(round_=world.view.round, action="unblind", by=None)
    return lambda: report_jobs.start_report(round_=result, by=world.people["admin"])


def report_kept(world: Any) -> Work:
    """As the command does, after an older one whose texts are cleared."""
    reported(world)()
    report_jobs.store_report(round_=world.view.round, report={}, version="1")
    return lambda: report_jobs.store_report(round_=world.view.round, report={}, version="2")


def lists_made(_world) -> Callable[[], object]:
    project = make_aggregation_project(3)
    freeze(project)
    return lambda: make_ranking_lists(project=project, tag="v1", split_by="instance", by=None)


def skipped_step(world: Any) -> Work:
    return lambda: skipped_steps.skip_step(project=world.project, step="inspection", by=world.people["admin"])


def old_tests(world: Any) -> Work:
    """A test of a system that is older than a day."""
    system = System.objects.create(project=world.project, key="tested", name="Tested")
    revision = SystemRevision.objects.create(system=system, number=1, kind="lead", role="generate", config_hash="t")
    run = Run.objects.create(project=world.project, revision=revision, over=system_tests.TEST, n_samples=1, seed=0)
    Run.objects.filter(pk=run.pk).update(created_at=timezone.now() - 2 * system_tests.KEPT_FOR)
    return system_tests.delete_old_tests


BY_NAME: dict[str, Callable[[Any], Work]] = {
    "first claim": fresh,
    "first claim, with suggestions": suggested,
    "choose": choose,
    "crowd worker": enter,
    "crowd worker, completed": complete,
    "crowd rater": crowd_rater,
    "consent": agreed,
    "step skipped": skipped_step,
    "old tests of systems": old_tests,
    "damage flag taken away": unflag,
    "gate": confirm,
    "lengths in words": lengths_in_words,
    "sign up by a link": sign_up,
    "join by a link": accept,
    "account": account,
    "first account of a site": first_account,
    "first password given": lambda world: lambda: first_passwords.require_change(world.people["rater"]),
    "first password changed": password_changed,
    "jobs looked at": lambda world: lambda: header_counts.mark_jobs_seen(world.people["admin"]),
    "invitations by a list": invited_by_list,
    "set-up code tried": setup_tried,
    "role taken": roles(members.take_role),
    "role given": given,
    "account closed": closed,
    "quota": quota,
    "pause ended": resumed,
    "pause by a rule": paused_by_rule,
    "pilot sample": pilot_sample,
    "pilot candidate": admitted,
    "pilot candidates": invited,
    "pilot reopened": reopened,
    "pilot settings": synced,
    "schema": schema,
    "answer put away": put_away,
    "taken back": taken_back,
    "left as it is": left_as_is,
    "bulk": bulk,
    "reassigned": handed_on,
    "reserved": kept,
    "leases run out": run_out,
    "week in full": in_full,
    "comparison undone": compared,
    "token": new_token,
    "token used": token_used,
    "sign-in try": tried,
    "reset asked for": reset_asked,
    "worker seen": worker_seen,
    "worker gone": worker_gone,
    "workers gone long ago": old_workers_gone,
    "sessions ended": out_everywhere,
    "pilot started over": restarted,
    "skipped sample out": skipped,
    "skipped sample back": put_back,
    "skipped sample elsewhere": redrawn,
    "second factor": factor,
    "second factor on": factor_on,
    "second factor used": by_code(second_factor.check_code),
    "second factor recovered": recovered,
    "second factor's codes": by_code(second_factor.renew_codes),
    "second factor off": by_code(second_factor.turn_off),
    "second factor reset": factor_reset,
    "sign-in try ended": try_ended,
    "account and role": account_and_role,
    "again under new rules": again_under_new_rules,
    "disagreement decided": decided,
    "disagreements counted": disagreements_counted,
    "rater let near a source": cleared,
    "instructions read": instructed,
    "qualified": qualified,
    "report": reported,
    "report kept": report_kept,
    "round changed": round_changed,
    "round dropped": round_dropped,
    "round launched": round_launched,
    "week accepted": accepted_week,
    "ranking lists": lists_made,
    **JOB_WRITES,
    **ANALYSIS_WRITES,
    **CONSTRUCTION_WRITES,
    **CONTRASTIVE_WRITES,
    **AGGREGATION_WRITES,
    **ROUND_WRITES,
    **RUN_WRITES,
    **PUBLICATION_WRITES,
    **WEBHOOK_WRITES,
    **ACCOUNT_WRITES,
    **PRACTICE_WRITES,
    **STUDY_WRITES,
    **OVERLAP_WRITES,
    **REFINE_WRITES,
    **SUMMARY_FILE_WRITES,
}
ELSEWHERE = dict.fromkeys(
    (
        output_leases.claim_batch,
        output_leases.fail_run,
        output_leases.release_outputs,
        output_leases.settle_run,
        output_leases.store_results,
        runs.resume_run,
    ),
    "tests/bridge/test_faults.py",
) | {site_restore.restore_site: "tests/backup/test_backup.py"}
