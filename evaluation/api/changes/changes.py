"""Studies of changed requests over a run: start one, read the tables of all."""

import uuid
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import document_call
from annotation.api.core.query import refuse_unknown_parameters
from annotation.api.core.requests import current_user, validate_body
from evaluation.api.changes.serializers import StudiesOut, StudyIn, StudyOut
from evaluation.services.changes import change_studies, change_tables
from evaluation.services.changes.change_studies import ChangeStudy
from modelbridge.api.runs.runs import find_run
from modelbridge.services.runs.changed_requests import changed_attribute

TAG = "systems and runs"


def study_data(study: ChangeStudy) -> dict[str, Any]:
    """One study as the call answers it."""
    return {
        "n": study.n,
        "seed": study.seed,
        "ended": study.ended,
        "runs": [
            {
                "id": run.public_id,
                "attribute": changed_attribute(run),
                "state": run.state,
                "n_samples": run.n_samples,
            }
            for run in study.runs
        ],
        "tables": change_tables.build_study_report(study.base.project, study)["tables"],
    }


class RunChanges(APIView):
    """What one changed request does to everything else."""

    @document_call("run_changes_read", "Read studies of changed requests", answers={200: StudiesOut}, tag=TAG)
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        """Newest first; tables are empty until outputs can be compared."""
        refuse_unknown_parameters(request, ())
        studies = change_studies.list_studies(find_run(request, public_id))
        return Response(StudiesOut({"studies": [study_data(study) for study in studies]}).data)

    @document_call("run_changes_start", "Change requests", request=StudyIn, answers={202: StudyOut}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """Starts a run per attribute, each cancelled and resumed as a run; the same n and seed are the same study."""
        run = find_run(request, public_id)
        values = validate_body(StudyIn, request.data)
        study = change_studies.start_study(run=run, by=current_user(request), **values)
        return Response(StudyOut(study_data(study)).data, status=202)
