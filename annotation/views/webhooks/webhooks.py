"""Pages of webhooks: those of a project, and one with its log. A new secret is shown once, in the form's response."""

import uuid

from django.conf import settings
from django.contrib import messages
from django.db.models import Max
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.models import DeliveryState, Project, Webhook
from annotation.services.core import access
from annotation.services.core.errors import NotFound, ServiceError
from annotation.services.webhooks import deliveries
from annotation.services.webhooks import webhooks as webhook_service
from annotation.services.webhooks.targets import is_switched_on
from annotation.views.core.decorators import add_service_error, current_user, project_page
from annotation.views.webhooks.forms import WebhookForm

METHODS = ["GET", "HEAD", "POST"]
ACTIONS = ("test", "pause", "resume", "delete")


@project_page(access.ADMINS, methods=METHODS)
def list_webhooks(request: HttpRequest, project: Project) -> HttpResponse:
    """The webhooks of a project, and a form that creates one."""
    form, created, secret = WebhookForm(request.POST or None), None, ""
    if request.method == "POST" and form.is_valid():
        try:
            created, secret = webhook_service.create_webhook(
                project=project, by=current_user(request), **form.cleaned_data
            )
        except ServiceError as error:
            add_service_error(form, error)
        else:
            form = WebhookForm()
    rows = Webhook.objects.filter(project=project).annotate(last_sent=Max("deliveries__sent_at")).order_by("-pk")
    context = {
        "project": project,
        "form": form,
        "created": created,
        "secret": secret,
        "webhooks": rows,
        "is_on": is_switched_on(),
        "hosts": settings.EPITOME_WEBHOOK_HOSTS,
    }
    return render(request, "annotation/webhooks/webhooks.html", context, status=422 if form.errors else 200)


@project_page(access.ADMINS, methods=METHODS)
def show_webhook(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    webhook = Webhook.objects.filter(project=project, public_id=public_id).first()
    if webhook is None:
        raise NotFound()
    webhook.project = project
    form, secret = WebhookForm(initial={"url": webhook.url, "events": webhook.events}), ""
    if request.method == "POST":
        do = request.POST.get("do", "")
        if do in ACTIONS:
            return _apply_action(request, webhook, do)
        if do == "rotate":
            secret = webhook_service.rotate_secret(webhook=webhook, by=current_user(request))
        else:
            form = WebhookForm(request.POST)
            if _change_webhook(request, webhook, form):
                return redirect("webhook", project.slug, public_id)
    context = {
        "project": project,
        "webhook": webhook,
        "form": form,
        "secret": secret,
        "is_on": is_switched_on(),
        "deliveries": webhook.deliveries.order_by("-pk")[: deliveries.LOG_LENGTH],
        "n_waiting": webhook.deliveries.filter(state=DeliveryState.WAITING).count(),
    }
    return render(request, "annotation/webhooks/webhook.html", context, status=422 if form.errors else 200)


def _change_webhook(request: HttpRequest, webhook: Webhook, form: WebhookForm) -> bool:
    if not form.is_valid():
        return False
    try:
        webhook_service.change_webhook(webhook=webhook, by=current_user(request), **form.cleaned_data)
    except ServiceError as error:
        add_service_error(form, error)
        return False
    messages.success(request, _("Webhook saved."))
    return True


def _apply_action(request: HttpRequest, webhook: Webhook, do: str) -> HttpResponse:
    """Do what a button asks for, then show the page again, or the list where the webhook is gone."""
    by, slug = current_user(request), webhook.project.slug
    if do == "delete":
        webhook_service.delete_webhook(webhook=webhook, by=by)
        messages.success(request, _("Webhook deleted."))
        return redirect("webhooks", slug)
    try:
        if do == "test":
            deliveries.send_test(webhook=webhook, by=by)
            messages.success(request, _("Test queued. Reload the page to see what became of it."))
        else:
            webhook_service.change_webhook(webhook=webhook, by=by, paused=do == "pause")
            messages.success(request, _("Webhook paused.") if do == "pause" else _("Webhook resumed."))
    except ServiceError as error:
        messages.error(request, error.message)
    return redirect("webhook", slug, webhook.public_id)
