"""Serializers that compare the answers to one request: the checks that the pages show, as numbers."""

from typing import Any

from annotation.services.overlap.checks import Answer


def describe_answer(answer: Answer) -> dict[str, Any]:
    """An answer in the shape of AnswerOut."""
    return {
        "annotation": answer.annotation.public_id,
        "revision": answer.annotation.revision,
        "payload": answer.annotation.payload,
        "checks": {
            "words": answer.words,
            "band": [answer.band.low, answer.band.high] if answer.band else None,
            "in_band": answer.in_band,
            "copied": answer.copied,
            "named": {
                key: {"asked": requested_values, "named": named_values}
                for key, (named_values, requested_values) in answer.mentions.items()
            },
            "segments": answer.segments,
            "spans": answer.spans,
            "title": bool(answer.title.strip()),
            "minutes": answer.minutes,
            "wall": answer.wall,
            "scores": {key: score._asdict() for key, score in answer.scores.items()},
            "alike": answer.alike,
            "marked_alike": answer.marked_alike,
            "apart": answer.apart,
        },
    }
