"""Contrastive examples, aggregations and their rankings; splits of samples."""

import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models

from annotation.models.remade_tables import rename_alone


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0011_verbs'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(rename_alone(True), rename_alone(False)),
        migrations.CreateModel(
            name='AggregationInstance',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(help_text='article_tuple_context', max_length=120)),
                ('entity_type', models.CharField(choices=[('person', 'person'), ('location', 'location'), ('org', 'organization')], max_length=10)),
                ('entities', models.JSONField(help_text='2 to 6, by name: name, url, background, background_tokens, mentions as [segment, start, end]; a mention in the abstract has segment -1')),
                ('context_kind', models.CharField(choices=[('content', 'sentences of the article'), ('abstract', "the article's abstract")], max_length=10)),
                ('first_segment', models.PositiveIntegerField(help_text='empty: the context is the abstract', null=True)),
                ('last_segment', models.PositiveIntegerField(help_text='included', null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Contrastive',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('rule', models.CharField(help_text='G-N, G-P, G-V, G-A, S-N, S-P, S-V, S-A', max_length=10)),
                ('text', models.TextField()),
                ('text_key', models.CharField(help_text='SHA-256 of the text in lower case', max_length=64)),
                ('edits', models.JSONField(help_text="one or two of start, end, was, now; characters of the gold's text")),
                ('from_source', models.JSONField(help_text='segment, start, end of the word taken from the source', null=True)),
                ('seed', models.BigIntegerField(null=True)),
                ('generator', models.CharField(help_text="name@version, or 'import'", max_length=60)),
                ('state', models.CharField(choices=[('active', 'active'), ('excluded', 'excluded'), ('withdrawn', 'withdrawn with its gold summary')], default='active', max_length=10)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name='ContrastiveSet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('origin', models.CharField(choices=[('made', 'made here'), ('import', 'imported')], max_length=8)),
                ('options', models.JSONField(default=dict, help_text='what determines the examples besides the gold summaries')),
                ('generator', models.CharField(help_text="name@version, or 'import'", max_length=60)),
                ('parser', models.CharField(blank=True, default='', help_text='pipeline with its hash', max_length=120)),
                ('file_name', models.CharField(blank=True, default='', help_text='of an import', max_length=255)),
                ('golds', models.PositiveIntegerField(default=0, help_text='gold summaries read, those without examples too')),
                ('empty_golds', models.JSONField(default=list, help_text='ids of annotations that give no example')),
                ('examples', models.PositiveIntegerField(default=0)),
                ('counts', models.JSONField(default=dict, help_text='rule -> step of its making -> pairs of words')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('replaced_at', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='EntityBackground',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('name', models.CharField(max_length=200)),
                ('title', models.CharField(blank=True, default='', help_text='of the article to look up', max_length=300)),
                ('url', models.CharField(blank=True, default='', max_length=1000)),
                ('text', models.TextField(blank=True, default='')),
                ('tokens', models.PositiveIntegerField(default=0)),
                ('state', models.CharField(choices=[('found', 'found'), ('missing', 'missing'), ('ambiguous', 'ambiguous'), ('dropped', 'dropped')], default='missing', max_length=10)),
                ('origin', models.CharField(blank=True, choices=[('file', 'file'), ('wikipedia', 'looked up in Wikipedia'), ('staff', 'typed by hand'), ('restored', 'from an export')], default='', help_text='empty: never looked up', max_length=10)),
                ('changed_at', models.DateTimeField(auto_now=True)),
            ],
        ),
        migrations.CreateModel(
            name='RankingList',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('split', models.CharField(choices=[('train', 'train'), ('dev', 'dev'), ('test', 'test')], max_length=5)),
                ('split_by', models.CharField(choices=[('release', 'the splits of the release'), ('origin', 'drawn by article'), ('instance', 'drawn by instance')], max_length=8)),
                ('unseen', models.BooleanField(help_text='of dev and test: none of its entities is in an instance of train')),
                ('candidates', models.JSONField(help_text='texts, shuffled')),
                ('golds', models.JSONField(help_text='per candidate, whether it is gold')),
                ('seed', models.BigIntegerField()),
            ],
        ),
        migrations.RemoveConstraint(
            model_name='auditevent',
            name='audit_verb_known',
        ),
        migrations.AddField(
            model_name='sample',
            name='split',
            field=models.CharField(blank=True, default='', help_text="as imported, where a dataset is split by summary; empty: its source's", max_length=20),
        ),
        migrations.AlterField(
            model_name='auditevent',
            name='verb',
            field=models.CharField(choices=[('project.create', 'created the project'), ('project.change_settings', 'changed the settings'), ('project.freeze', 'froze the project'), ('project.unfreeze', 'unfroze the project'), ('schema.add_version', 'published a schema version'), ('guideline.add_version', 'published a guideline version'), ('guideline.read', 'confirmed the guideline'), ('member.add', 'added a role'), ('member.remove', 'removed a role'), ('member.quota', "changed a person's task limit"), ('member.pause', 'paused a member'), ('member.resume', 'resumed a member'), ('person.create', 'created an account'), ('person.close', 'closed an account'), ('person.open', 'reopened an account'), ('person.withdraw', "withdrew a person's work"), ('invitation.make', 'created an invitation link'), ('invitation.use', 'joined by an invitation link'), ('invitation.revoke', 'closed an invitation link'), ('crowd_link.make', 'created a crowd link'), ('crowd_link.revoke', 'closed a crowd link'), ('crowd.join', 'joined by a crowd link'), ('crowd.complete', 'completed the tasks of a crowd link'), ('crowd.screened_out', 'was screened out of a crowd study'), ('crowd.no_work', 'found no more work in a crowd study'), ('consent.publish', 'published a consent version'), ('consent.agree', 'agreed to the consent page'), ('sign_in.try', 'tried to sign in'), ('sign_in.done', 'signed in'), ('second_factor.on', 'turned on the second factor'), ('second_factor.off', 'turned off the second factor'), ('second_factor.reset', "reset a person's second factor"), ('second_factor.codes', 'created new recovery codes'), ('second_factor.recovery', 'signed in with a recovery code'), ('token.create', 'created an API token'), ('token.revoke', 'revoked an API token'), ('source.import', 'imported sources'), ('source.select', 'selected sources'), ('source.flag_damaged', 'flagged a source as damaged'), ('source.unflag_damaged', 'removed a damage flag'), ('source.set_licence', 'set the licence of sources'), ('sample.draw', 'drew samples'), ('sample.undo_draw', 'undid a draw of samples'), ('sample.leave_pool', 'retired a skipped sample'), ('sample.put_back', 'returned a skipped sample to the pool'), ('sample.redraw', 'redrew a skipped sample'), ('contrastives.make', 'made contrastive examples'), ('contrastives.import', 'imported contrastive examples'), ('contrastives.replace', 'deleted contrastive examples to replace them'), ('contrastives.exclude', 'excluded contrastive examples'), ('contrastives.include', 'included contrastive examples again'), ('sample.extract', 'extracted instances'), ('background.fill', 'added backgrounds of entities'), ('background.change', 'changed the background of an entity'), ('background.drop', 'dropped an entity'), ('group.choose', 'chose topics and speakers'), ('task.submit', 'submitted a summary'), ('task.skip', 'skipped a sample'), ('task.release', 'released a task'), ('task.take_back', 'reopened a submitted summary'), ('task.leave_as_is', 'left a reopened summary as it was'), ('task.return', 'returned a summary written under older rules'), ('task.reopen', 'voided a summary written under older rules'), ('claim.expire', 'let a task expire'), ('question.ask', 'asked a question'), ('question.answer', 'answered a question'), ('bulk.release', "released a person's tasks"), ('bulk.void', "voided a person's work"), ('bulk.reassign', "reassigned a person's tasks"), ('bulk.reserve', 'reserved tasks for a person'), ('bulk.undo_release', 'gave a person the released tasks back'), ('bulk.undo_void', "restored a person's work"), ('bulk.undo_return', 'undid a return of summaries written under older rules'), ('bulk.undo_reopen', 'restored summaries written under older rules'), ('bulk.undo_reassign', 'undid a reassignment of tasks'), ('bulk.undo_reserve', 'cancelled a reservation of tasks'), ('inspection.draw', 'drew summaries for inspection'), ('inspection.in_full', "added all summaries of a person's week to the inspection"), ('inspection.accept', 'accepted a summary'), ('inspection.revise', 'returned a summary for revision'), ('inspection.reject', 'rejected a summary'), ('inspection.second', 'inspected a summary a second time'), ('inspection.accept_week', 'accepted the remaining summaries of a week'), ('overlap.mark', 'compared the summaries of a sample'), ('overlap.undo', 'undid a comparison'), ('pilot.open', 'opened a pilot'), ('pilot.start_over', 'started the pilot over'), ('pilot.on', 'started the pilot'), ('pilot.off', 'turned off the pilot'), ('pilot.add_sample', 'added a sample to the pilot'), ('pilot.remove_sample', 'removed a sample from the pilot'), ('pilot.invite', 'invited a candidate'), ('pilot.qualified', 'qualified a candidate'), ('pilot.rejected', 'rejected a candidate'), ('pilot.reopened', 'undid a decision on a candidate'), ('dataset.export', 'exported the dataset'), ('release.freeze', 'froze a release'), ('release.make_lists', 'made the ranking lists of a release'), ('system.register', 'registered a system'), ('system.revise', 'revised a system'), ('run.start', 'started a run'), ('run.cancel', 'cancelled a run'), ('run.resume', 'resumed a run'), ('run.upload', 'uploaded predictions'), ('construction.start', 'started a step of the construction'), ('construction.stop', 'stopped a step of the construction'), ('rewrite.judge', 'accepted or dropped a rewrite'), ('training.start', 'started a training'), ('training.cancel', 'cancelled a training'), ('training.resume', 'resumed a training'), ('round.draft', 'drafted a round'), ('round.change', 'changed the draft of a round'), ('round.drop', 'deleted the draft of a round'), ('round.launch', 'launched a round'), ('round.pause', 'paused a round'), ('round.resume', 'resumed a round'), ('round.close', 'closed a round'), ('round.reopen', 'reopened a round'), ('round.unblind', 'unblinded a round'), ('round.replace', 'replaced a rater'), ('round.clear', 'allowed a rater despite a conflict of interest'), ('round.decide', 'decided a disputed rating'), ('round_template.save', 'saved a round template'), ('round_template.delete', 'deleted a round template'), ('item.expire', 'let a rating task expire'), ('judge_check.draw', 'drew texts to label by hand'), ('judge_check.label', 'labelled a text by hand'), ('case.keep', 'kept an output as a case'), ('case.delete', 'removed a case')], max_length=60),
        ),
        migrations.AddConstraint(
            model_name='auditevent',
            constraint=models.CheckConstraint(condition=models.Q(('verb__in', ['project.create', 'project.change_settings', 'project.freeze', 'project.unfreeze', 'schema.add_version', 'guideline.add_version', 'guideline.read', 'member.add', 'member.remove', 'member.quota', 'member.pause', 'member.resume', 'person.create', 'person.close', 'person.open', 'person.withdraw', 'invitation.make', 'invitation.use', 'invitation.revoke', 'crowd_link.make', 'crowd_link.revoke', 'crowd.join', 'crowd.complete', 'crowd.screened_out', 'crowd.no_work', 'consent.publish', 'consent.agree', 'sign_in.try', 'sign_in.done', 'second_factor.on', 'second_factor.off', 'second_factor.reset', 'second_factor.codes', 'second_factor.recovery', 'token.create', 'token.revoke', 'source.import', 'source.select', 'source.flag_damaged', 'source.unflag_damaged', 'source.set_licence', 'sample.draw', 'sample.undo_draw', 'sample.leave_pool', 'sample.put_back', 'sample.redraw', 'contrastives.make', 'contrastives.import', 'contrastives.replace', 'contrastives.exclude', 'contrastives.include', 'sample.extract', 'background.fill', 'background.change', 'background.drop', 'group.choose', 'task.submit', 'task.skip', 'task.release', 'task.take_back', 'task.leave_as_is', 'task.return', 'task.reopen', 'claim.expire', 'question.ask', 'question.answer', 'bulk.release', 'bulk.void', 'bulk.reassign', 'bulk.reserve', 'bulk.undo_release', 'bulk.undo_void', 'bulk.undo_return', 'bulk.undo_reopen', 'bulk.undo_reassign', 'bulk.undo_reserve', 'inspection.draw', 'inspection.in_full', 'inspection.accept', 'inspection.revise', 'inspection.reject', 'inspection.second', 'inspection.accept_week', 'overlap.mark', 'overlap.undo', 'pilot.open', 'pilot.start_over', 'pilot.on', 'pilot.off', 'pilot.add_sample', 'pilot.remove_sample', 'pilot.invite', 'pilot.qualified', 'pilot.rejected', 'pilot.reopened', 'dataset.export', 'release.freeze', 'release.make_lists', 'system.register', 'system.revise', 'run.start', 'run.cancel', 'run.resume', 'run.upload', 'construction.start', 'construction.stop', 'rewrite.judge', 'training.start', 'training.cancel', 'training.resume', 'round.draft', 'round.change', 'round.drop', 'round.launch', 'round.pause', 'round.resume', 'round.close', 'round.reopen', 'round.unblind', 'round.replace', 'round.clear', 'round.decide', 'round_template.save', 'round_template.delete', 'item.expire', 'judge_check.draw', 'judge_check.label', 'case.keep', 'case.delete'])), name='audit_verb_known'),
        ),
        migrations.AddField(
            model_name='aggregationinstance',
            name='project',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='instances', to='annotation.project'),
        ),
        migrations.AddField(
            model_name='aggregationinstance',
            name='sample',
            field=models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='instance', to='annotation.sample'),
        ),
        migrations.AddField(
            model_name='contrastive',
            name='annotation',
            field=models.ForeignKey(help_text='the gold', on_delete=django.db.models.deletion.PROTECT, related_name='contrastives', to='annotation.annotation'),
        ),
        migrations.AddField(
            model_name='contrastive',
            name='excluded_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='contrastive',
            name='project',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='contrastives', to='annotation.project'),
        ),
        migrations.AddField(
            model_name='contrastive',
            name='sample',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='contrastives', to='annotation.sample'),
        ),
        migrations.AddField(
            model_name='contrastiveset',
            name='job',
            field=models.ForeignKey(help_text='empty: by command', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='annotation.job'),
        ),
        migrations.AddField(
            model_name='contrastiveset',
            name='made_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='contrastiveset',
            name='project',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='contrastive_sets', to='annotation.project'),
        ),
        migrations.AddField(
            model_name='entitybackground',
            name='changed_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='entitybackground',
            name='instances',
            field=models.ManyToManyField(related_name='backgrounds', to='annotation.aggregationinstance'),
        ),
        migrations.AddField(
            model_name='entitybackground',
            name='project',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='backgrounds', to='annotation.project'),
        ),
        migrations.AddField(
            model_name='rankinglist',
            name='project',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ranking_lists', to='annotation.project'),
        ),
        migrations.AddField(
            model_name='rankinglist',
            name='release',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ranking_lists', to='annotation.release'),
        ),
        migrations.AddField(
            model_name='rankinglist',
            name='sample',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ranking_lists', to='annotation.sample'),
        ),
        migrations.AddConstraint(
            model_name='aggregationinstance',
            constraint=models.UniqueConstraint(fields=('project', 'key'), name='instance_key_once'),
        ),
        migrations.AddConstraint(
            model_name='aggregationinstance',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('context_kind', 'abstract'), ('first_segment__isnull', True), ('last_segment__isnull', True)), models.Q(('context_kind', 'content'), ('first_segment__isnull', False), ('last_segment__isnull', False)), _connector='OR'), name='instance_context_whole'),
        ),
        migrations.AddIndex(
            model_name='contrastive',
            index=models.Index(fields=['project', 'id'], name='contrastive_list'),
        ),
        migrations.AddConstraint(
            model_name='contrastive',
            constraint=models.UniqueConstraint(fields=('annotation', 'text_key'), name='contrastive_text_once'),
        ),
        migrations.AddIndex(
            model_name='contrastiveset',
            index=models.Index(fields=['project', '-id'], name='contrastive_set_list'),
        ),
        migrations.AddConstraint(
            model_name='contrastiveset',
            constraint=models.UniqueConstraint(condition=models.Q(('replaced_at__isnull', True)), fields=('project',), name='contrastive_set_one_current'),
        ),
        migrations.AddIndex(
            model_name='entitybackground',
            index=models.Index(fields=['project', 'state', 'name'], name='background_list'),
        ),
        migrations.AddConstraint(
            model_name='entitybackground',
            constraint=models.UniqueConstraint(fields=('project', 'name'), name='background_once_per_name'),
        ),
        migrations.AddConstraint(
            model_name='entitybackground',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'found'), _negated=True), models.Q(('text', ''), _negated=True), _connector='OR'), name='background_found_has_text'),
        ),
        migrations.AddConstraint(
            model_name='rankinglist',
            constraint=models.UniqueConstraint(fields=('release', 'sample'), name='ranking_list_once_per_release_and_sample'),
        ),
        migrations.AddConstraint(
            model_name='rankinglist',
            constraint=models.CheckConstraint(condition=models.Q(('split__in', ['train', 'dev', 'test'])), name='ranking_list_split_known'),
        ),
        migrations.AddConstraint(
            model_name='rankinglist',
            constraint=models.CheckConstraint(condition=models.Q(('unseen', False), models.Q(('split', 'train'), _negated=True), _connector='OR'), name='ranking_list_train_is_seen'),
        ),
        migrations.AddIndex(
            model_name='annotation',
            index=models.Index(
                condition=models.Q(('assignment__isnull', False), ('sample__isnull', False)),
                fields=['project', 'sample', 'id'],
                name='annotation_by_sample',
            ),
        ),
        migrations.RunPython(rename_alone(False), rename_alone(True)),
    ]
