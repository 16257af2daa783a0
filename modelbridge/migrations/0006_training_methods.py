"""Room for the names of the methods that learn from ranking lists."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("modelbridge", "0005_asked_attributes")]

    operations = [
        migrations.AlterField(
            model_name="trainingrun",
            name="method",
            field=models.CharField(max_length=40),
        ),
    ]
