"""The user's own API tokens. A new token is shown once, in the response to the form that created it."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import ApiToken
from annotation.services.accounts import api_tokens as token_service
from annotation.services.core.errors import NotFound, ServiceError
from annotation.views.accounts.forms import TokenForm
from annotation.views.core.decorators import add_service_error, current_user, signed_in


@signed_in(methods=["GET", "HEAD", "POST"])
def token_list(request: HttpRequest) -> HttpResponse:
    form = TokenForm(request.POST or None)
    plain_token = ""
    if request.method == "POST" and form.is_valid():
        try:
            _row, plain_token = token_service.create_token(user=current_user(request), **form.cleaned_data)
        except ServiceError as error:
            add_service_error(form, error)
        else:
            form = TokenForm()
    rows = ApiToken.objects.filter(user=current_user(request)).order_by("-id")[:100]
    context = {"form": form, "plain": plain_token, "tokens": rows, "now": timezone.now()}
    return render(request, "annotation/accounts/tokens.html", context, status=422 if form.errors else 200)


@signed_in(methods=["POST"])
def revoke_token(request: HttpRequest, public_id: uuid.UUID) -> HttpResponse:
    token = ApiToken.objects.filter(user=current_user(request), public_id=public_id).first()
    if token is None:
        raise NotFound(_("Token not found, or you don't have access."))
    token_service.revoke_token(token=token, by=current_user(request))
    messages.success(request, _("The token %(name)s was revoked.") % {"name": token.name})
    return redirect("tokens")
