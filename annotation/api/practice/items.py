"""The practice for staff: its items and the switch, who is where, and decisions about people."""

import uuid

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import document_call
from annotation.api.core.query import refuse_unknown_parameters
from annotation.api.core.requests import current_user, validate_body
from annotation.api.practice.serializers import (
    AnnotatorPracticeOut,
    ItemChangeIn,
    PracticeDecisionIn,
    PracticeItemIn,
    PracticeItemOut,
    PracticeSetupIn,
    PracticeSetupOut,
)
from annotation.models import PracticeItem, Project
from annotation.services.core import access
from annotation.services.core.errors import BadInput, NotFound
from annotation.services.core.pseudonyms import Pseudonyms
from annotation.services.practice import decisions, items, progress

TAG = "practice"


def _describe_setup(project: Project) -> Response:
    setup = {"on": project.needs_practice, "share": project.practice_share, "items": progress.items_in_force(project)}
    return Response(PracticeSetupOut(setup).data)


class PracticeSetup(APIView):
    """The practice of a project."""

    @document_call("practice_setup_read", "Read the practice", answers={200: PracticeSetupOut}, tag=TAG)
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.STAFF)
        refuse_unknown_parameters(request, ())
        return _describe_setup(project)

    @document_call(
        "practice_setup_change",
        "Switch the practice, set the share to pass",
        request=PracticeSetupIn,
        answers={200: PracticeSetupOut},
        tag=TAG,
    )
    def patch(self, request: Request, slug: str) -> Response:
        """On: annotators must pass it before they claim tasks. 409 (code noitems) without an item."""
        project = access.project_for(request.user, slug, access.MAKERS)
        items.change_practice(project=project, by=current_user(request), **validate_body(PracticeSetupIn, request.data))
        return _describe_setup(project)


class PracticeItems(APIView):
    """The items of the practice."""

    @document_call("practice_items_add", "Add an item", request=PracticeItemIn, answers={201: PracticeItemOut}, tag=TAG)
    def post(self, request: Request, slug: str) -> Response:
        """At most 10. The right answers of at least one part must be given."""
        project = access.project_for(request.user, slug, access.MAKERS)
        values = validate_body(PracticeItemIn, request.data)
        external_id = values.pop("document")
        try:
            source = items.get_source(project, external_id=external_id)
        except NotFound as error:
            raise BadInput(error.message, field="document") from error
        item = items.add_item(project=project, source=source, by=current_user(request), **values)
        return Response(PracticeItemOut(item).data, status=201)


class OnePracticeItem(APIView):
    """One item."""

    @document_call(
        "practice_item_change",
        "Store the next version of an item",
        request=ItemChangeIn,
        answers={200: PracticeItemOut},
        tag=TAG,
    )
    def put(self, request: Request, public_id: uuid.UUID) -> Response:
        """It gets a new id. Tries already made keep the version they answered."""
        item = _find_item(request, public_id)
        values = validate_body(ItemChangeIn, request.data)
        return Response(PracticeItemOut(items.change_item(item=item, by=current_user(request), **values)).data)

    @document_call("practice_item_remove", "Remove an item", answers={204: None}, tag=TAG)
    def delete(self, request: Request, public_id: uuid.UUID) -> Response:
        """Whoever passes without it may go on. 409 (code last) for the last one while the practice is on."""
        items.remove_item(item=_find_item(request, public_id), by=current_user(request))
        return Response(status=204)


def _find_item(request: Request, public_id: uuid.UUID) -> PracticeItem:
    row = access.row_for(request.user, PracticeItem.objects.all(), public_id, access.MAKERS)
    return items.get_item(row.project, public_id)


class PracticeAnnotators(APIView):
    """Who is where in the practice."""

    @document_call(
        "practice_annotators_list",
        "List annotators with their practice",
        answers={200: AnnotatorPracticeOut(many=True)},
        tag=TAG,
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.STAFF)
        refuse_unknown_parameters(request, ())
        return _describe_annotators(request, project)

    @document_call(
        "practice_annotators_decide",
        "Let a person go on, or reset the practice",
        request=PracticeDecisionIn,
        answers={200: AnnotatorPracticeOut(many=True)},
        tag=TAG,
    )
    def post(self, request: Request, slug: str) -> Response:
        """`let_on`: without passing; 409 (code passed) where nothing is in the way. `reset`: tries are deleted."""
        project = access.project_for(request.user, slug, access.MAKERS)
        values, by = validate_body(PracticeDecisionIn, request.data), current_user(request)
        person = decisions.find_annotator(project, values["person"])
        decide = decisions.let_person_on if values["do"] == "let_on" else decisions.reset_practice
        decide(project=project, person=person, by=by)
        return _describe_annotators(request, project)


def _describe_annotators(request: Request, project: Project) -> Response:
    roles = access.roles_of(request.user, project)
    context = {"pseudonyms": Pseudonyms(project), "names": bool(roles & {role.value for role in access.MAKERS})}
    return Response(AnnotatorPracticeOut(decisions.list_annotators(project), many=True, context=context).data)
