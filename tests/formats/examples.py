"""Invented files in the shapes of the public ones; no text of theirs."""

from typing import Any

SENTENCES = ["The mill closed in May.", "“Nobody asked us,” said Ana Ruiz.", "Prices rose by 4.5 percent: again."]
TURNS = [
    "Ana : We start at nine : sharp .",
    "Project Manager : Fine , {vocalsound} .",
    "PhD A :",
    "(noise)",
    "B: tight",
    " C : x ",
]


def reference(length: str = "short", extractiveness: str = "fully", **changes: Any) -> dict[str, Any]:
    control = {"length": length, "extractiveness": extractiveness, "specificity": "normal", "topic": ""}
    fields = {
        "control_attribute": control,
        "summary": "The mill  closed.",
        "title": "Mill",
        "relevant_turns": [[0, 1], 2],
    }
    return {**fields, **changes}


def document(file_id: Any = 1, **changes: Any) -> dict[str, Any]:
    metadata = {"dataset": "cnndm", "split": "test", "file_id": file_id}
    return {"metadata": metadata, "references": [reference()], "source": list(SENTENCES), **changes}


def dialogue(file_id: Any = 339, turns: Any = (0, 138), **changes: Any) -> dict[str, Any]:
    metadata = {"dataset": "qmsum", "split": "test", "file_id": file_id, "turns": list(turns)}
    fields = {
        "length": "long",
        "extractiveness": "high",
        "specificity": "high",
        "topic": "a , b",
        "Speaker": "Ana , X ( Y , Z )",
    }
    items = [reference(control_attribute=fields, relevant_turns=[[0, 99], 5, [4, 2]])]
    return {"metadata": metadata, "references": items, "source": list(TURNS), **changes}


def meeting(*ranges: list[Any], turns: int = 10, words: int = 2, **changes: Any) -> dict[str, Any]:
    transcripts = [{"speaker": f"S{n % 3}", "content": " ".join([f"w{n}"] * words)} for n in range(turns)]
    topics = [{"topic": f"T{n}", "relevant_text_span": spans} for n, spans in enumerate(ranges)]
    queries = {"general_query_list": [{"query": "?", "answer": "!"}], "specific_query_list": []}
    return {"topic_list": topics, **queries, "meeting_transcripts": transcripts, **changes}
