"""Rows of a construction, without a chat model."""

from modelbridge.models import ConstructionStep, Rewrite


def make_rewrite(project, document, **values):
    """A rewrite with its answer, of a readability step that is under way."""
    step, _is_new = ConstructionStep.objects.get_or_create(
        project=project, key="readability", defaults={"state": "running"}
    )
    usual = {"call": "readability", "subject": "abstract", "state": "done", "text": "We count bridges. There are two."}
    usual |= {"raw_answer": "Two bridges were counted.", "texts": {"summary": "Two bridges were counted."}}
    return Rewrite.objects.create(project=project, step=step, document=document, **{**usual, **values})
