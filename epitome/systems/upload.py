"""`upload`: a system that runs elsewhere. Its outputs are uploaded as a file; it cannot be run here."""

import json
from typing import NoReturn

from epitome.systems.config import SystemConfig
from epitome.systems.extractive_base import parse_options
from epitome.systems.protocol import SystemFault

parse_options = parse_options


def config_text(key: str, name: str) -> str:
    """The configuration of an uploaded system, as TOML."""
    return f'[system]\nkey = {json.dumps(key)}\nkind = "upload"\nname = {json.dumps(name, ensure_ascii=False)}\n'


def make_system(config: SystemConfig) -> NoReturn:
    raise SystemFault(f"{config.key} runs elsewhere; upload its predictions instead")
