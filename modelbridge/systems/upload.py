"""`upload`: a system that runs elsewhere. Its outputs come as a file; nothing of it can be run here."""

from typing import NoReturn

from modelbridge.systems.config import SystemConfig
from modelbridge.systems.picking import no_options
from modelbridge.systems.protocol import SystemFault

options = no_options


def config_text(key: str, name: str) -> str:
    """The configuration of an uploaded system, as TOML."""
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'[system]\nkey = "{key}"\nkind = "upload"\nname = "{quoted}"\n'


def make(config: SystemConfig) -> NoReturn:
    raise SystemFault(f"{config.key} runs elsewhere; upload its predictions instead")
