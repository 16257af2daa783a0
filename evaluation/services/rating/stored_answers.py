"""Reading a rater's stored answers."""

from typing import Any

from evaluation.models import ItemAssignment, Judgement


def stored_payload(assignment: ItemAssignment) -> dict[str, Any]:
    """The stored answers in the shape of the request payload."""
    if not assignment.revision:
        return {"answers": {}, "note": assignment.note}
    rows = Judgement.objects.filter(item_assignment=assignment).values_list("question", "answer", "unsure", "why")
    answers = {
        question: {"answer": answer, "unsure": unsure, **({"why": why} if why else {})}
        for question, answer, unsure, why in rows
    }
    return {"answers": answers, "note": assignment.note}
