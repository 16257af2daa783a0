"""One's own tokens for scripts. A new one is shown once, on the answer to the form that made it."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.forms import TokenForm
from annotation.models import ApiToken
from annotation.services import tokens as service
from annotation.services.errors import NotFound, ServiceError
from annotation.views.common import person, refuse, signed_in


@signed_in(methods=["GET", "HEAD", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    form = TokenForm(request.POST or None)
    plain = ""
    if request.method == "POST" and form.is_valid():
        try:
            _row, plain = service.create_token(user=person(request), **form.cleaned_data)
        except ServiceError as error:
            refuse(form, error)
        else:
            form = TokenForm()
    own = ApiToken.objects.filter(user=person(request)).order_by("-id")[:100]
    context = {"form": form, "plain": plain, "tokens": own, "now": timezone.now()}
    return render(request, "annotation/tokens.html", context, status=422 if form.errors else 200)


@signed_in(methods=["POST"])
def revoke(request: HttpRequest, public_id: uuid.UUID) -> HttpResponse:
    token = ApiToken.objects.filter(user=person(request), public_id=public_id).first()
    if token is None:
        raise NotFound(_("There is no such token, or it is not yours."))
    service.revoke(token=token, by=person(request))
    messages.success(request, _("The token %(name)s works no more.") % {"name": token.name})
    return redirect("tokens")
