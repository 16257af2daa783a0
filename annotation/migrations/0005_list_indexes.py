"""Indexes of long lists: by week, by state, of later revisions and of second summaries."""


from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0004_worker_heartbeats'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='assignment',
            name='assignment_own',
        ),
        migrations.AddIndex(
            model_name='annotation',
            index=models.Index(condition=models.Q(('assignment__isnull', False), ('sample__isnull', False)), fields=['project', 'id'], name='annotation_written'),
        ),
        migrations.AddIndex(
            model_name='annotation',
            index=models.Index(fields=['project', 'created_at'], name='annotation_by_time'),
        ),
        migrations.AddIndex(
            model_name='annotation',
            index=models.Index(condition=models.Q(('revision__gt', 1)), fields=['project', 'assignment'], name='annotation_revised'),
        ),
        migrations.AddIndex(
            model_name='assignment',
            index=models.Index(fields=['project', 'annotator', 'id'], name='assignment_own'),
        ),
        migrations.AddIndex(
            model_name='assignment',
            index=models.Index(fields=['project', 'state', 'id'], name='assignment_by_state'),
        ),
        migrations.AddIndex(
            model_name='sample',
            index=models.Index(condition=models.Q(('state', 'void')), fields=['project', 'id'], name='sample_void'),
        ),
        migrations.AddIndex(
            model_name='slot',
            index=models.Index(condition=models.Q(('number__gt', 1), ('state__in', ['taken', 'filled', 'parked'])), fields=['project', 'sample'], name='slot_overlap'),
        ),
    ]
