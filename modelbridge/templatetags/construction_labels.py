"""Labels of what the construction of a benchmark counts and shows."""

from django import template
from django.utils.translation import gettext as _

register = template.Library()


@register.filter
def left_out_label(reason: str) -> str:
    """Why summaries were left out, in words."""
    labels = {
        "failed": _("the call failed"),
        "dropped": _("dropped"),
        "none": _("no content of this kind"),
        "no keyword": _("no keyword in the text"),
    }
    return labels.get(reason, reason)


@register.filter
def aspect_label(aspect: str) -> str:
    """Which text of an answer this is, in words."""
    labels = {"summary": _("for lay readers"), "empirical": _("empirical"), "conceptual": _("conceptual")}
    return labels.get(aspect, aspect)
