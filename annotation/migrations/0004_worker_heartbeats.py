"""Workers that run and the queues that they serve."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0003_audit_verbs'),
    ]

    operations = [
        migrations.CreateModel(
            name='WorkerHeartbeat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=120, unique=True)),
                ('queues', models.JSONField(default=list, help_text='names of queues')),
                ('started_at', models.DateTimeField()),
                ('seen_at', models.DateTimeField()),
            ],
        ),
    ]
