"""Display texts for the requirements, attributes, rates and costs of systems."""

from django.conf import settings
from django.utils.translation import gettext as _

from annotation.services.core.word_patterns import add_remark, join_names
from epitome.figures.numbers import format_money
from epitome.figures.numbers import format_rate as format_rate_number
from epitome.schema import Schema
from epitome.systems import local_model
from epitome.systems.chat_options import ChatOptions
from epitome.systems.chat_servers import SETTING
from epitome.systems.config import SystemConfig
from epitome.systems.registry import explain_missing_libraries, followed_attributes

SERVE_COMMAND = ".venv/bin/python -m epitome.systems.local_server"
EXAMPLE_PORT = 8087
"""Of the small language model's server, in what an administrator is told; any free one will do."""


def missing_requirements(config: SystemConfig) -> str:
    """What a configuration needs and this machine lacks, as display text; "" when nothing is missing."""
    options = config.settings
    if isinstance(options, ChatOptions) and options.server not in settings.EPITOME_CHAT_SERVERS:
        if options.server == local_model.SERVER and options.model == local_model.MODEL:
            return _explain_local_model()
        words = _('There is no chat server "%(name)s": an administrator names servers in %(setting)s.')
        return words % {"name": options.server, "setting": SETTING}
    return explain_missing_libraries(config)


def _explain_local_model() -> str:
    """How the small language model is started: with the examples, or for a site that runs already."""
    words = _(
        "The small language model is not running. To start it with the examples (127 MB to fetch): %(command)s. For a "
        "site that runs already, an administrator runs: %(steps)s; and starts web and workers again with %(setting)s."
    )
    serve = f"{SERVE_COMMAND} {EXAMPLE_PORT}"
    return words % {
        "command": local_model.DEMO_COMMAND,
        "steps": serve if local_model.is_installed() else f"{local_model.INSTALL_COMMAND}; {serve}",
        "setting": f"{SETTING}={local_model.server_setting(EXAMPLE_PORT)}",
    }


def label_followed_attributes(config: SystemConfig, schema: Schema) -> str:
    """The labels of the attributes a configuration can follow, in the schema's order; "" where unknown."""
    known = followed_attributes(config)
    if known is None:
        return ""
    labels = []
    for attribute in schema.attributes:
        if attribute.key in known:
            values = known[attribute.key]
            some = [value for value in attribute.values if values is not None and value in values]
            has_limits = values is not None and len(some) < len(attribute.values)
            labels.append(add_remark(attribute.label, join_names(some)) if has_limits else attribute.label)
    return join_names(labels) or _("none")


def format_rate(rate: float | None) -> str:
    """Samples per second, or per minute where it is slow."""
    if rate is None:
        return ""
    number, is_per_second = format_rate_number(rate)
    return (_("%(n)s samples/s") if is_per_second else _("%(n)s samples/min")) % {"n": number}


def format_cost(cost: float, currency: str = "") -> str:
    """A sum of money, "" for nothing."""
    return format_money(cost, currency) if cost else ""
