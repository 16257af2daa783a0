"""The database itself refuses that somebody is given an item whose source this person had a hand in."""

from django.db import migrations

HAND = """
    NOT EXISTS (
        SELECT 1 FROM evaluation_sourceclearance c
        WHERE c.round_id = NEW.round_id AND c.rater_id = NEW.rater_id AND c.document_id = NEW.document_id
    ) AND (
        EXISTS (
            SELECT 1 FROM annotation_assignment a JOIN annotation_group g ON g.id = a.group_id
            WHERE a.annotator_id = NEW.rater_id AND g.document_id = NEW.document_id
        ) OR EXISTS (
            SELECT 1 FROM annotation_group g
            WHERE g.chosen_by_id = NEW.rater_id AND g.document_id = NEW.document_id
        ) OR EXISTS (
            SELECT 1 FROM annotation_inspection i
            JOIN annotation_annotation n ON n.id = i.annotation_id
            JOIN annotation_sample s ON s.id = n.sample_id
            WHERE i.reviewer_id = NEW.rater_id AND s.document_id = NEW.document_id
        )
    )
"""
NAME = "item_view_no_hand_in_source"
SQLITE = f"""
    CREATE TRIGGER {NAME} BEFORE INSERT ON evaluation_itemview WHEN {HAND}
    BEGIN SELECT RAISE(ABORT, '{NAME}'); END
"""
POSTGRESQL = f"""
    CREATE FUNCTION {NAME}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF {HAND} THEN
            RAISE EXCEPTION '{NAME}' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER {NAME} BEFORE INSERT ON evaluation_itemview FOR EACH ROW EXECUTE FUNCTION {NAME}();
"""


def add(apps, editor):
    editor.execute(SQLITE if editor.connection.vendor == "sqlite" else POSTGRESQL)


def remove(apps, editor):
    if editor.connection.vendor == "sqlite":
        editor.execute(f"DROP TRIGGER IF EXISTS {NAME}")
    else:
        editor.execute(f"DROP TRIGGER IF EXISTS {NAME} ON evaluation_itemview; DROP FUNCTION IF EXISTS {NAME}()")


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0001_initial"), ("annotation", "0001_initial")]
    operations = [migrations.RunPython(add, remove)]
