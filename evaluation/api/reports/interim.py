"""Looks at a running round that declared a stopping rule, and its end by the rule."""

import uuid
from typing import Any

from drf_spectacular.utils import OpenApiResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import document_call
from annotation.api.core.query import refuse_unknown_parameters
from annotation.api.core.requests import current_user
from epitome.combined.stopping import Followed
from evaluation.api.reports.serializers import InterimOut
from evaluation.models import Round
from evaluation.services.reports.interim import Interim, analyse_interim, close_by_rule
from evaluation.services.rounds import round_access

TAG = "rounds"
NO_RULE = OpenApiResponse(description="The design declared no stopping rule, or the round is a draft.")
NOT_MET = OpenApiResponse(description="The rule is not met yet, or the design declared none.")


class RoundInterim(APIView):
    """What is known of a running round, valid however often it is looked at."""

    @document_call("round_interim", "Look at a running round", answers={200: InterimOut, 409: NO_RULE}, tag=TAG)
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        """409 (code fixed) for a round without a stopping rule. Systems have letters until the round is unblinded."""
        refuse_unknown_parameters(request, ())
        return Response(_describe(round_access.managed_round(request.user, public_id)))

    @document_call("round_interim_close", "Close by the rule", answers={200: InterimOut, 409: NOT_MET}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """Close the round where its rule is met; that is logged. 409 (code not_met) where it is not."""
        round_ = round_access.managed_round(request.user, public_id)
        return Response(_describe(close_by_rule(round_=round_, by=current_user(request))))


def _describe(round_: Round) -> dict[str, Any]:
    analysis = analyse_interim(round_)
    values = {
        "state": round_.state,
        "rule": analysis.rule,
        "width": analysis.width or None,
        "sources": analysis.n_sources,
        "max_sources": analysis.max_sources,
        "ratings": analysis.n_ratings,
        "met_at": analysis.met_at,
        "expected_at": analysis.expected_at,
        "expected_day": analysis.expected_day,
        "currency": analysis.spending.currency if analysis.spending else "",
        "pay": analysis.spending.amount if analysis.spending else None,
        "expected_pay": analysis.expected_amount,
        "comparisons": [_describe_comparison(analysis, followed) for followed in analysis.followed],
    }
    return dict(InterimOut(values).data)


def _describe_comparison(found: Interim, followed: Followed) -> dict[str, Any]:
    comparison = followed.comparison
    return {
        "question": comparison.question,
        "first": found.names[comparison.first],
        "second": found.names[comparison.second],
        "null": comparison.null,
        "level": followed.level,
        "met_at": followed.find_met(found.rule, found.width),
        "looks": [
            {
                "place": place,
                "ratings": found.count_ratings(place),
                "mean": look.mean,
                "low": look.low,
                "high": look.high,
                "evidence": look.evidence,
                "decided": look.rejects,
            }
            for place, look in zip(followed.places, followed.looks, strict=True)
        ],
    }
