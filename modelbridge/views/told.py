"""Words for what systems can do and what was measured of their outputs."""

from django.conf import settings
from django.utils.translation import gettext as _

from annotation.schema import Schema
from modelbridge.systems.chat_options import ChatOptions
from modelbridge.systems.chat_servers import SETTING
from modelbridge.systems.config import SystemConfig
from modelbridge.systems.registry import follows, missing


def lacking(config: SystemConfig) -> str:
    """What a configuration needs that this machine does not have, in words; "" when nothing is missing."""
    options = config.settings
    if isinstance(options, ChatOptions) and options.server not in settings.EPITOME_CHAT_SERVERS:
        words = _('There is no chat server "%(name)s": an administrator names servers in %(setting)s.')
        return words % {"name": options.server, "setting": SETTING}
    return missing(config)


def follows_words(config: SystemConfig, schema: Schema) -> str:
    """The labels of the attributes a configuration can follow, in the schema's order; "" where nobody tells."""
    known = follows(config)
    if known is None:
        return ""
    labels = []
    for attribute in schema.attributes:
        if attribute.key in known:
            values = known[attribute.key]
            some = [each for each in attribute.values if values is not None and each in values]
            part = f" ({', '.join(some)})" if values is not None and len(some) < len(attribute.values) else ""
            labels.append(attribute.label + part)
    return ", ".join(labels) or _("none")


def rate_words(rate: float | None) -> str:
    """Samples per second, or per minute where it is slow."""
    if rate is None:
        return ""
    if rate >= 1:
        return _("%(n)s samples/s") % {"n": f"{rate:.1f}" if rate < 100 else f"{rate:.0f}"}
    return _("%(n)s samples/min") % {"n": f"{rate * 60:.1f}"}


def cost_words(cost: float, currency: str = "") -> str:
    """A sum of money, "" for nothing."""
    if not cost:
        return ""
    digits = 2 if cost >= 1 else 4
    return f"{cost:.{digits}f} {currency}".strip()
