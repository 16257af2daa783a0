"""Round templates of a project's own: list, check, store, replace, delete."""

import uuid

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.query import refuse_unknown_parameters
from annotation.api.core.requests import current_user, page_response, validate_body
from annotation.services.core import access
from annotation.services.core.access import MAKERS
from evaluation.api.rounds.serializers import PresetOut, RoundTemplateIn, RoundTemplateOut, TemplateCheckOut
from evaluation.models import RoundTemplate
from evaluation.services.rounds import own_templates, presets

TAG = "rounds"


class RoundTemplates(APIView):
    """The templates of a project."""

    @document_call(
        "round_templates_list",
        "List round templates",
        answers={200: page_serializer(RoundTemplateOut)},
        parameters=PAGE_PARAMETERS,
        tag=TAG,
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, MAKERS)
        return page_response(request, RoundTemplate.objects.filter(project=project).order_by("key"), RoundTemplateOut)

    @document_call(
        "round_template_store",
        "Store a round template",
        request=RoundTemplateIn,
        answers={201: RoundTemplateOut},
        tag=TAG,
    )
    def post(self, request: Request, slug: str) -> Response:
        """422 names the key and line of the text; 409 when the project has a template of that key."""
        project = access.project_for(request.user, slug, MAKERS)
        text = validate_body(RoundTemplateIn, request.data)["toml"]
        row = own_templates.save_template(project=project, text=text, by=current_user(request))
        return Response(RoundTemplateOut(row).data, status=201)


class RoundTemplateCheck(APIView):
    """What a template would become."""

    @document_call(
        "round_template_check",
        "Check a round template",
        request=RoundTemplateIn,
        answers={200: TemplateCheckOut},
        tag=TAG,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Nothing is stored."""
        access.project_for(request.user, slug, MAKERS)
        template = own_templates.check_template(validate_body(RoundTemplateIn, request.data)["toml"])
        return Response(own_templates.describe_template(template))


class OneRoundTemplate(APIView):
    """One template."""

    @document_call("round_template_read", "Read a round template", answers={200: RoundTemplateOut}, tag=TAG)
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        refuse_unknown_parameters(request, ())
        return Response(RoundTemplateOut(_find_template(request, public_id)).data)

    @document_call(
        "round_template_replace",
        "Replace a round template",
        request=RoundTemplateIn,
        answers={200: RoundTemplateOut},
        tag=TAG,
    )
    def put(self, request: Request, public_id: uuid.UUID) -> Response:
        """Launched rounds keep the text they were launched with."""
        row = _find_template(request, public_id)
        text = validate_body(RoundTemplateIn, request.data)["toml"]
        row = own_templates.save_template(project=row.project, text=text, by=current_user(request), row=row)
        return Response(RoundTemplateOut(row).data)

    @document_call("round_template_delete", "Delete a round template", answers={204: None}, tag=TAG)
    def delete(self, request: Request, public_id: uuid.UUID) -> Response:
        own_templates.delete_template(row=_find_template(request, public_id), by=current_user(request))
        return Response(status=204)


class RoundPresets(APIView):
    """Rounds written ready for a project."""

    @document_call("round_presets_list", "List preset rounds", answers={200: PresetOut(many=True)}, tag=TAG)
    def get(self, request: Request, slug: str) -> Response:
        """Those that fit the project, each as the TOML text of a round; nothing is stored."""
        refuse_unknown_parameters(request, ())
        project = access.project_for(request.user, slug, MAKERS)
        return Response(
            [
                {"key": preset.key, "name": preset.name, "config": presets.write_preset(project, preset.key)}
                for preset in presets.list_presets(project)
            ]
        )


def _find_template(request: Request, public_id: uuid.UUID) -> RoundTemplate:
    return access.row_for(request.user, RoundTemplate.objects.all(), public_id, MAKERS)
