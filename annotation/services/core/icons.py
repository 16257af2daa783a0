"""Icons and states as HTML, for templates and for pages that are made of text."""

from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString


def icon(name: str) -> SafeString:
    """An icon of static/img/icons.svg; decorative, so always used next to text."""
    return format_html(
        '<svg class="icon" aria-hidden="true"><use href="{}#{}"></use></svg>', static("img/icons.svg"), name
    )


def status(css_class: str, icon_name: str, label: str) -> SafeString:
    """The state of something: a label in the page's language beside an icon. css_class: "", ok, warn or danger."""
    return format_html('<span class="{}">{}{}</span>', f"status {css_class}".strip(), icon(icon_name), label)
