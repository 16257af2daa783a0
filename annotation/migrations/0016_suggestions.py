import django.db.models.deletion
from django.db import migrations, models

from annotation.models.remade_tables import rename_alone

ARMS = [
    ("minimal", "minimal: word count and ratio"),
    ("full", "full: all meters, copied words highlighted"),
    ("suggested", "suggested: words and ratio, and a machine’s text to start from"),
    ("randomised", "minimal or full, assigned at random per source"),
    ("randomised-3", "minimal, full or suggested, assigned at random per source"),
]


class Migration(migrations.Migration):
    dependencies = [("annotation", "0015_practice")]

    operations = [
        migrations.RunPython(rename_alone(True), rename_alone(False)),
        migrations.AlterField("assignment", "assistance", models.CharField(choices=ARMS, max_length=12)),
        migrations.AlterField(
            "project", "assistance", models.CharField(choices=ARMS, default="minimal", max_length=12)
        ),
        migrations.AddField(
            "project",
            "suggestions_from",
            models.CharField(
                blank=True,
                default="",
                help_text="where suggested texts come from, as run:ID; empty: nowhere",
                max_length=60,
            ),
        ),
        migrations.AddField(
            "annotation",
            "suggestion",
            models.JSONField(
                default=dict, help_text="of a suggested text: origin, hash, and the shares that were kept"
            ),
        ),
        migrations.AddField(
            "annotation",
            "as_suggested",
            models.BooleanField(default=False, help_text="submitted with the words of its suggestion"),
        ),
        migrations.AddIndex(
            "annotation",
            models.Index(
                fields=["project", "-id"], name="annotation_as_suggested", condition=models.Q(as_suggested=True)
            ),
        ),
        migrations.CreateModel(
            "Suggestion",
            [
                (
                    "assignment",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="suggestion",
                        serialize=False,
                        to="annotation.assignment",
                    ),
                ),
                (
                    "origin",
                    models.CharField(help_text="where it came from, as run:ID; not shown to annotators", max_length=60),
                ),
                ("text", models.TextField()),
                ("text_hash", models.CharField(help_text="SHA-256 of the text", max_length=64)),
                ("created_at", models.DateTimeField()),
            ],
        ),
        migrations.RunPython(rename_alone(False), rename_alone(True)),
    ]
