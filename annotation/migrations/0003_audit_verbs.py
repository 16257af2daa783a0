"""Stored audit verbs get one form, "<thing>.<action>", and a constraint that admits no others."""

from django.db import migrations, models

NEW_VERBS = {
    "create_project": "project.create",
    "change_settings": "project.change_settings",
    "freeze": "project.freeze",
    "unfreeze": "project.unfreeze",
    "new_schema_version": "schema.add_version",
    "new_guideline_version": "guideline.add_version",
    "withdrawal": "person.withdraw",
    "sign-in.try": "sign_in.try",
    "sign-in.done": "sign_in.done",
    "import": "source.import",
    "select_sources": "source.select",
    "flag_damaged": "source.flag_damaged",
    "unflag_damaged": "source.unflag_damaged",
    "sample_attributes": "sample.draw",
    "export": "dataset.export",
    "freeze_release": "release.freeze",
}

VERBS = [
    ("project.create", "created the project"),
    ("project.change_settings", "changed the settings"),
    ("project.freeze", "froze the project"),
    ("project.unfreeze", "unfroze the project"),
    ("schema.add_version", "published a schema version"),
    ("guideline.add_version", "published a guideline version"),
    ("guideline.read", "confirmed the guideline"),
    ("member.add", "added a role"),
    ("member.remove", "removed a role"),
    ("member.quota", "changed a person's task limit"),
    ("member.pause", "paused a member"),
    ("member.resume", "resumed a member"),
    ("person.create", "created an account"),
    ("person.close", "closed an account"),
    ("person.open", "reopened an account"),
    ("person.withdraw", "withdrew a person's work"),
    ("invitation.make", "created an invitation link"),
    ("invitation.use", "joined by an invitation link"),
    ("invitation.revoke", "closed an invitation link"),
    ("crowd_link.make", "created a crowd link"),
    ("crowd_link.revoke", "closed a crowd link"),
    ("crowd.join", "joined by a crowd link"),
    ("crowd.complete", "completed the tasks of a crowd link"),
    ("sign_in.try", "tried to sign in"),
    ("sign_in.done", "signed in"),
    ("second_factor.on", "turned on the second factor"),
    ("second_factor.off", "turned off the second factor"),
    ("second_factor.reset", "reset a person's second factor"),
    ("second_factor.codes", "created new recovery codes"),
    ("second_factor.recovery", "signed in with a recovery code"),
    ("token.create", "created an API token"),
    ("token.revoke", "revoked an API token"),
    ("source.import", "imported sources"),
    ("source.select", "selected sources"),
    ("source.flag_damaged", "flagged a source as damaged"),
    ("source.unflag_damaged", "removed a damage flag"),
    ("sample.draw", "drew samples"),
    ("sample.leave_pool", "retired a skipped sample"),
    ("sample.put_back", "returned a skipped sample to the pool"),
    ("sample.redraw", "redrew a skipped sample"),
    ("group.choose", "chose topics and speakers"),
    ("task.submit", "submitted a summary"),
    ("task.skip", "skipped a sample"),
    ("task.release", "released a task"),
    ("task.take_back", "reopened a submitted summary"),
    ("task.leave_as_is", "left a reopened summary as it was"),
    ("task.return", "returned a summary written under older rules"),
    ("task.reopen", "voided a summary written under older rules"),
    ("claim.expire", "let a task expire"),
    ("question.ask", "asked a question"),
    ("question.answer", "answered a question"),
    ("bulk.release", "released a person's tasks"),
    ("bulk.void", "voided a person's work"),
    ("bulk.reassign", "reassigned a person's tasks"),
    ("bulk.reserve", "reserved tasks for a person"),
    ("bulk.undo_release", "gave a person the released tasks back"),
    ("bulk.undo_void", "restored a person's work"),
    ("bulk.undo_return", "undid a return of summaries written under older rules"),
    ("bulk.undo_reopen", "restored summaries written under older rules"),
    ("bulk.undo_reassign", "undid a reassignment of tasks"),
    ("bulk.undo_reserve", "cancelled a reservation of tasks"),
    ("inspection.draw", "drew summaries for inspection"),
    ("inspection.in_full", "added all summaries of a person's week to the inspection"),
    ("inspection.accept", "accepted a summary"),
    ("inspection.revise", "returned a summary for revision"),
    ("inspection.reject", "rejected a summary"),
    ("inspection.second", "inspected a summary a second time"),
    ("inspection.accept_week", "accepted the remaining summaries of a week"),
    ("overlap.mark", "compared the summaries of a sample"),
    ("overlap.undo", "undid a comparison"),
    ("pilot.open", "opened a pilot"),
    ("pilot.start_over", "started the pilot over"),
    ("pilot.on", "started the pilot"),
    ("pilot.off", "turned off the pilot"),
    ("pilot.add_sample", "added a sample to the pilot"),
    ("pilot.remove_sample", "removed a sample from the pilot"),
    ("pilot.invite", "invited a candidate"),
    ("pilot.qualified", "qualified a candidate"),
    ("pilot.rejected", "rejected a candidate"),
    ("pilot.reopened", "undid a decision on a candidate"),
    ("dataset.export", "exported the dataset"),
    ("release.freeze", "froze a release"),
    ("system.register", "registered a system"),
    ("system.revise", "revised a system"),
    ("run.start", "started a run"),
    ("run.cancel", "cancelled a run"),
    ("run.resume", "resumed a run"),
    ("run.upload", "uploaded predictions"),
    ("training.start", "started a training"),
    ("training.cancel", "cancelled a training"),
    ("training.resume", "resumed a training"),
    ("round.draft", "drafted a round"),
    ("round.change", "changed the draft of a round"),
    ("round.drop", "deleted the draft of a round"),
    ("round.launch", "launched a round"),
    ("round.pause", "paused a round"),
    ("round.resume", "resumed a round"),
    ("round.close", "closed a round"),
    ("round.reopen", "reopened a round"),
    ("round.unblind", "unblinded a round"),
    ("round.replace", "replaced a rater"),
    ("round.clear", "allowed a rater despite a conflict of interest"),
    ("round.decide", "decided a disputed rating"),
    ("item.expire", "let a rating task expire"),
]


def _rename_verbs(apps, renamed):
    events = apps.get_model("annotation", "AuditEvent").objects.filter(verb__in=list(renamed))
    whens = [models.When(verb=old, then=models.Value(new)) for old, new in renamed.items()]
    events.update(verb=models.Case(*whens, output_field=models.CharField()))


def use_new_verbs(apps, schema_editor):
    _rename_verbs(apps, NEW_VERBS)


def use_old_verbs(apps, schema_editor):
    _rename_verbs(apps, {new: old for old, new in NEW_VERBS.items()})


class Migration(migrations.Migration):
    dependencies = [("annotation", "0002_lz4")]
    operations = [
        migrations.RunPython(use_new_verbs, use_old_verbs, elidable=False),
        migrations.AlterField(
            model_name="auditevent",
            name="verb",
            field=models.CharField(choices=VERBS, max_length=60),
        ),
        migrations.AddConstraint(
            model_name="auditevent",
            constraint=models.CheckConstraint(
                condition=models.Q(("verb__in", [verb for verb, _words in VERBS])), name="audit_verb_known"
            ),
        ),
    ]
