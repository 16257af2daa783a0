r"""Numbers and units of the package siunitx as words: `\SI{95}{\percent}` is 95 %, `\qty{5}{\kilo\gram}` is 5 kg.

Source: the manual of siunitx 3, sections 2 and 3.
"""

import re
from collections.abc import Callable

_SYMBOLS = {
    "percent": "%", "gram": "g", "meter": "m", "metre": "m", "second": "s", "minute": "min", "hour": "h", "day": "d",
    "ampere": "A", "kelvin": "K", "mole": "mol", "candela": "cd", "hertz": "Hz", "newton": "N", "pascal": "Pa",
    "joule": "J", "watt": "W", "coulomb": "C", "volt": "V", "farad": "F", "ohm": "Ω", "siemens": "S", "tesla": "T",
    "henry": "H", "lumen": "lm", "lux": "lx", "becquerel": "Bq", "gray": "Gy", "sievert": "Sv", "liter": "L",
    "litre": "L", "tonne": "t", "hectare": "ha", "electronvolt": "eV", "byte": "B", "bit": "bit", "decibel": "dB",
    "bel": "B", "dalton": "Da", "degree": "°", "arcminute": "′", "arcsecond": "″", "celsius": "°C",
    "degreeCelsius": "°C", "angstrom": "Å", "radian": "rad", "steradian": "sr", "bar": "bar",
    "yocto": "y", "zepto": "z", "atto": "a", "femto": "f", "pico": "p", "nano": "n", "micro": "µ", "milli": "m",
    "centi": "c", "deci": "d", "deca": "da", "hecto": "h", "kilo": "k", "mega": "M", "giga": "G", "tera": "T",
    "peta": "P", "exa": "E", "zetta": "Z", "yotta": "Y", "kibi": "Ki", "mebi": "Mi", "gibi": "Gi", "tebi": "Ti",
    "per": "/", "squared": "²", "cubed": "³", "square": "²", "cubic": "³", "of": "", "highlight": "",
}  # fmt: skip
_PREFIXES = frozenset(
    name for name, _symbol in list(_SYMBOLS.items())[list(_SYMBOLS).index("yocto") : list(_SYMBOLS).index("per")]
)
_TOKEN = re.compile(r"\\([A-Za-z]+)|\^\{?(-?\d+)\}?|([^\\^~.{}\s]+)")
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def format_unit(source: str) -> str:
    r"""`\kilo\gram` -> kg, `\metre\per\second` -> m/s, `m.s^{-1}` -> m s⁻¹. A unit that is not known is its name."""
    units: list[str] = []
    prefix = raised = ""
    for name, power, letters in _TOKEN.findall(source):
        if name in _PREFIXES:
            prefix += _SYMBOLS[name]
        elif name in ("square", "cubic"):
            raised = _SYMBOLS[name]
        elif units and (power or name in ("squared", "cubed")):
            units[-1] += _SYMBOLS[name] if name else power.translate(_SUPERSCRIPTS)
        else:
            units.append(prefix + (_SYMBOLS.get(name, name) if name else letters) + raised)
            prefix = raised = ""
    return " ".join(units).replace(" / ", "/")


def format_number(source: str) -> str:
    """`1e3` -> 1 × 10^3; `2.5(1)`, `1 +- 2` and lists stay with their signs."""
    text = re.sub(r"\\pm|\+-", " ± ", source.strip())
    text = re.sub(r"\s*[eEdD]([+-]?\d+)$", lambda match: f" × 10{match[1].lstrip('+').translate(_SUPERSCRIPTS)}", text)
    return " ".join(re.sub(r"[{}]", "", text).split())


def _attach(number: str, unit: str) -> str:
    return f"{number}{unit}" if unit in ("", "°", "′", "″") else f"{number} {unit}"


def _join(numbers: list[str], unit: str) -> str:
    quantities = [_attach(number, unit) for number in numbers]
    return quantities[0] if len(quantities) == 1 else f"{', '.join(quantities[:-1])} and {quantities[-1]}"


def _escape(text: str) -> str:
    return text.replace("%", r"\%").replace("#", r"\#")


def _quantity(arguments: list[str]) -> str:
    return _escape(_attach(format_number(arguments[1]), format_unit(arguments[-1])))


def _range(arguments: list[str]) -> str:
    unit = format_unit(arguments[3]) if len(arguments) > 3 else ""
    first, last = (_attach(format_number(number), unit) for number in arguments[1:3])
    return _escape(f"{first} to {last}")


def _list(arguments: list[str]) -> str:
    unit = format_unit(arguments[2]) if len(arguments) > 2 else ""
    return _escape(_join([format_number(number) for number in arguments[1].split(";")], unit))


SIUNITX: dict[str, tuple[str, Callable[[list[str]], str]]] = {
    "SI": ("omom", _quantity),
    "qty": ("omm", _quantity),
    "num": ("om", lambda arguments: _escape(format_number(arguments[1]))),
    "si": ("om", lambda arguments: _escape(format_unit(arguments[1]))),
    "unit": ("om", lambda arguments: _escape(format_unit(arguments[1]))),
    "ang": ("om", lambda arguments: f"{arguments[1].split(';')[0]}°"),
    "SIrange": ("ommm", _range),
    "qtyrange": ("ommm", _range),
    "numrange": ("omm", _range),
    "SIlist": ("omm", _list),
    "qtylist": ("omm", _list),
    "numlist": ("om", _list),
}
"""Name -> its arguments (o optional, m in braces), and what it prints, as LaTeX."""
