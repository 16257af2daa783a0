"""The audit log: actor, verb, target and time. Append only, ids only."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.projects import Project


class AuditVerb(models.TextChoices):
    """Everything the audit log records: "<thing>.<action>", and its words after a person's name."""

    PROJECT_CREATE = "project.create", _("created the project")
    PROJECT_CHANGE_SETTINGS = "project.change_settings", _("changed the settings")
    PROJECT_FREEZE = "project.freeze", _("froze the project")
    PROJECT_UNFREEZE = "project.unfreeze", _("unfroze the project")
    SCHEMA_ADD_VERSION = "schema.add_version", _("published a schema version")
    GUIDELINE_ADD_VERSION = "guideline.add_version", _("published a guideline version")
    GUIDELINE_READ = "guideline.read", _("confirmed the guideline")

    MEMBER_ADD = "member.add", _("added a role")
    MEMBER_REMOVE = "member.remove", _("removed a role")
    MEMBER_QUOTA = "member.quota", _("changed a person's task limit")
    MEMBER_PAUSE = "member.pause", _("paused a member")
    MEMBER_RESUME = "member.resume", _("resumed a member")
    PERSON_CREATE = "person.create", _("created an account")
    PERSON_CLOSE = "person.close", _("closed an account")
    PERSON_OPEN = "person.open", _("reopened an account")
    PERSON_WITHDRAW = "person.withdraw", _("withdrew a person's work")
    INVITATION_MAKE = "invitation.make", _("created an invitation link")
    INVITATION_USE = "invitation.use", _("joined by an invitation link")
    INVITATION_REVOKE = "invitation.revoke", _("closed an invitation link")
    CROWD_LINK_MAKE = "crowd_link.make", _("created a crowd link")
    CROWD_LINK_REVOKE = "crowd_link.revoke", _("closed a crowd link")
    CROWD_JOIN = "crowd.join", _("joined by a crowd link")
    CROWD_COMPLETE = "crowd.complete", _("completed the tasks of a crowd link")
    CROWD_SCREENED_OUT = "crowd.screened_out", _("was screened out of a crowd study")
    CROWD_NO_WORK = "crowd.no_work", _("found no more work in a crowd study")
    CONSENT_PUBLISH = "consent.publish", _("published a consent version")
    CONSENT_AGREE = "consent.agree", _("agreed to the consent page")

    SIGN_IN_TRY = "sign_in.try", _("tried to sign in")
    SIGN_IN_DONE = "sign_in.done", _("signed in")
    SECOND_FACTOR_ON = "second_factor.on", _("turned on the second factor")
    SECOND_FACTOR_OFF = "second_factor.off", _("turned off the second factor")
    SECOND_FACTOR_RESET = "second_factor.reset", _("reset a person's second factor")
    SECOND_FACTOR_CODES = "second_factor.codes", _("created new recovery codes")
    SECOND_FACTOR_RECOVERY = "second_factor.recovery", _("signed in with a recovery code")
    TOKEN_CREATE = "token.create", _("created an API token")
    TOKEN_REVOKE = "token.revoke", _("revoked an API token")

    SOURCE_IMPORT = "source.import", _("imported sources")
    SOURCE_SELECT = "source.select", _("selected sources")
    SOURCE_FLAG_DAMAGED = "source.flag_damaged", _("flagged a source as damaged")
    SOURCE_UNFLAG_DAMAGED = "source.unflag_damaged", _("removed a damage flag")
    SOURCE_SET_LICENCE = "source.set_licence", _("set the licence of sources")
    SAMPLE_DRAW = "sample.draw", _("drew samples")
    SAMPLE_UNDO_DRAW = "sample.undo_draw", _("undid a draw of samples")
    SAMPLE_LEAVE_POOL = "sample.leave_pool", _("retired a skipped sample")
    SAMPLE_PUT_BACK = "sample.put_back", _("returned a skipped sample to the pool")
    SAMPLE_REDRAW = "sample.redraw", _("redrew a skipped sample")

    GROUP_CHOOSE = "group.choose", _("chose topics and speakers")
    TASK_SUBMIT = "task.submit", _("submitted a summary")
    TASK_SKIP = "task.skip", _("skipped a sample")
    TASK_RELEASE = "task.release", _("released a task")
    TASK_TAKE_BACK = "task.take_back", _("reopened a submitted summary")
    TASK_LEAVE_AS_IS = "task.leave_as_is", _("left a reopened summary as it was")
    TASK_RETURN = "task.return", _("returned a summary written under older rules")
    TASK_REOPEN = "task.reopen", _("voided a summary written under older rules")
    CLAIM_EXPIRE = "claim.expire", _("let a task expire")
    QUESTION_ASK = "question.ask", _("asked a question")
    QUESTION_ANSWER = "question.answer", _("answered a question")

    BULK_RELEASE = "bulk.release", _("released a person's tasks")
    BULK_VOID = "bulk.void", _("voided a person's work")
    BULK_REASSIGN = "bulk.reassign", _("reassigned a person's tasks")
    BULK_RESERVE = "bulk.reserve", _("reserved tasks for a person")
    BULK_UNDO_RELEASE = "bulk.undo_release", _("gave a person the released tasks back")
    BULK_UNDO_VOID = "bulk.undo_void", _("restored a person's work")
    BULK_UNDO_RETURN = "bulk.undo_return", _("undid a return of summaries written under older rules")
    BULK_UNDO_REOPEN = "bulk.undo_reopen", _("restored summaries written under older rules")
    BULK_UNDO_REASSIGN = "bulk.undo_reassign", _("undid a reassignment of tasks")
    BULK_UNDO_RESERVE = "bulk.undo_reserve", _("cancelled a reservation of tasks")

    INSPECTION_DRAW = "inspection.draw", _("drew summaries for inspection")
    INSPECTION_IN_FULL = "inspection.in_full", _("added all summaries of a person's week to the inspection")
    INSPECTION_ACCEPT = "inspection.accept", _("accepted a summary")
    INSPECTION_REVISE = "inspection.revise", _("returned a summary for revision")
    INSPECTION_REJECT = "inspection.reject", _("rejected a summary")
    INSPECTION_SECOND = "inspection.second", _("inspected a summary a second time")
    INSPECTION_ACCEPT_WEEK = "inspection.accept_week", _("accepted the remaining summaries of a week")
    OVERLAP_MARK = "overlap.mark", _("compared the summaries of a sample")
    OVERLAP_UNDO = "overlap.undo", _("undid a comparison")

    PILOT_OPEN = "pilot.open", _("opened a pilot")
    PILOT_START_OVER = "pilot.start_over", _("started the pilot over")
    PILOT_ON = "pilot.on", _("started the pilot")
    PILOT_OFF = "pilot.off", _("turned off the pilot")
    PILOT_ADD_SAMPLE = "pilot.add_sample", _("added a sample to the pilot")
    PILOT_REMOVE_SAMPLE = "pilot.remove_sample", _("removed a sample from the pilot")
    PILOT_INVITE = "pilot.invite", _("invited a candidate")
    PILOT_QUALIFIED = "pilot.qualified", _("qualified a candidate")
    PILOT_REJECTED = "pilot.rejected", _("rejected a candidate")
    PILOT_REOPENED = "pilot.reopened", _("undid a decision on a candidate")

    DATASET_EXPORT = "dataset.export", _("exported the dataset")
    RELEASE_FREEZE = "release.freeze", _("froze a release")

    SYSTEM_REGISTER = "system.register", _("registered a system")
    SYSTEM_REVISE = "system.revise", _("revised a system")
    RUN_START = "run.start", _("started a run")
    RUN_CANCEL = "run.cancel", _("cancelled a run")
    RUN_RESUME = "run.resume", _("resumed a run")
    RUN_UPLOAD = "run.upload", _("uploaded predictions")
    CONSTRUCTION_START = "construction.start", _("started a step of the construction")
    CONSTRUCTION_STOP = "construction.stop", _("stopped a step of the construction")
    REWRITE_JUDGE = "rewrite.judge", _("accepted or dropped a rewrite")
    TRAINING_START = "training.start", _("started a training")
    TRAINING_CANCEL = "training.cancel", _("cancelled a training")
    TRAINING_RESUME = "training.resume", _("resumed a training")

    ROUND_DRAFT = "round.draft", _("drafted a round")
    ROUND_CHANGE = "round.change", _("changed the draft of a round")
    ROUND_DROP = "round.drop", _("deleted the draft of a round")
    ROUND_LAUNCH = "round.launch", _("launched a round")
    ROUND_PAUSE = "round.pause", _("paused a round")
    ROUND_RESUME = "round.resume", _("resumed a round")
    ROUND_CLOSE = "round.close", _("closed a round")
    ROUND_REOPEN = "round.reopen", _("reopened a round")
    ROUND_UNBLIND = "round.unblind", _("unblinded a round")
    ROUND_REPLACE = "round.replace", _("replaced a rater")
    ROUND_CLEAR = "round.clear", _("allowed a rater despite a conflict of interest")
    ROUND_DECIDE = "round.decide", _("decided a disputed rating")
    ROUND_TEMPLATE_SAVE = "round_template.save", _("saved a round template")
    ROUND_TEMPLATE_DELETE = "round_template.delete", _("deleted a round template")
    ITEM_EXPIRE = "item.expire", _("let a rating task expire")


class AuditEvent(models.Model):
    project = models.ForeignKey(Project, models.SET_NULL, null=True, related_name="audit_events")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    verb = models.CharField(max_length=60, choices=AuditVerb)
    target = models.CharField(max_length=100, help_text="kind:public id")
    detail = models.JSONField(default=dict)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(verb__in=AuditVerb.values), name="audit_verb_known")]
        indexes = [
            models.Index(fields=["project", "-id"], name="audit_list"),
            models.Index(fields=["target", "-id"], name="audit_sign_ins", condition=Q(project__isnull=True)),
        ]
