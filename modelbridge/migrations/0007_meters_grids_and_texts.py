"""How busy workers were with runs, what they have loaded, budgets of runs, grids of trainings, texts of trainings."""

import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0013_publications'),
        ('modelbridge', '0006_training_methods'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='budget',
            field=models.FloatField(help_text='it stops once its outputs have cost so much, in their currency; empty: no limit', null=True),
        ),
        migrations.AddField(
            model_name='trainingrun',
            name='changes',
            field=models.JSONField(default=dict, help_text='of a training in a group: what sets it apart'),
        ),
        migrations.CreateModel(
            name='TrainingGroup',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('key', models.CharField(help_text='of the configuration', max_length=60)),
                ('name', models.CharField(max_length=200)),
                ('config_toml', models.TextField()),
                ('axes', models.JSONField(help_text='the settings that differ -> their values')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='training_groups', to='annotation.project')),
            ],
        ),
        migrations.AddField(
            model_name='trainingrun',
            name='group',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='trainings', to='modelbridge.traininggroup'),
        ),
        migrations.CreateModel(
            name='TrainingText',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('step', models.PositiveIntegerField()),
                ('position', models.PositiveSmallIntegerField(help_text='among the shown dev samples, from 0')),
                ('sample_id', models.CharField(max_length=300)),
                ('values', models.JSONField(help_text='what was requested')),
                ('text', models.TextField()),
                ('reference', models.TextField()),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='texts', to='modelbridge.trainingrun')),
            ],
        ),
        migrations.CreateModel(
            name='WarmSystem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('worker', models.CharField(help_text='host name and process id', max_length=120)),
                ('config_hash', models.CharField(help_text="of the system's configuration", max_length=64)),
                ('since', models.DateTimeField()),
                ('seen_at', models.DateTimeField()),
            ],
            options={
                'indexes': [models.Index(fields=['config_hash'], name='warm_system_hash')],
                'constraints': [models.UniqueConstraint(fields=('worker', 'config_hash'), name='warm_system_once_per_worker')],
            },
        ),
        migrations.CreateModel(
            name='RunMeter',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('worker', models.CharField(help_text='host name and process id', max_length=120)),
                ('device', models.CharField(help_text='the name of the GPU, or CPU', max_length=120)),
                ('n_batches', models.PositiveIntegerField(default=0)),
                ('n_outputs', models.PositiveIntegerField(default=0)),
                ('busy_seconds', models.FloatField(default=0.0)),
                ('idle_seconds', models.FloatField(default=0.0)),
                ('load_seconds', models.FloatField(default=0.0)),
                ('tokens_in', models.PositiveBigIntegerField(default=0)),
                ('tokens_out', models.PositiveBigIntegerField(default=0)),
                ('peak_memory', models.PositiveBigIntegerField(default=0, help_text='bytes')),
                ('hour_price', models.FloatField(help_text='of an hour of this worker; empty: none is stated', null=True)),
                ('currency', models.CharField(blank=True, default='', max_length=3)),
                ('started_at', models.DateTimeField(auto_now_add=True)),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='meters', to='modelbridge.run')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('run', 'worker'), name='meter_once_per_run_and_worker')],
            },
        ),
        migrations.AddIndex(
            model_name='traininggroup',
            index=models.Index(fields=['project', '-id'], name='training_group_list'),
        ),
        migrations.AddConstraint(
            model_name='trainingtext',
            constraint=models.UniqueConstraint(fields=('run', 'step', 'position'), name='training_text_once_per_step'),
        ),
    ]
