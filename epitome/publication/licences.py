"""Licences by the names people write, as the Hugging Face hub and schema.org name them."""

import re
from typing import NamedTuple

_SEPARATORS = re.compile(r"[\s_/]+")


class Licence(NamedTuple):
    """hub_name: of the hub's list, `other` for one it does not know. url: of its text; "" where unknown."""

    hub_name: str
    url: str


_CC = "https://creativecommons.org/licenses/"
_KNOWN = {
    "cc0-1.0": Licence("cc0-1.0", "https://creativecommons.org/publicdomain/zero/1.0/"),
    "mit": Licence("mit", "https://opensource.org/license/mit"),
    "apache-2.0": Licence("apache-2.0", "https://www.apache.org/licenses/LICENSE-2.0"),
    "odc-by": Licence("odc-by", "https://opendatacommons.org/licenses/by/1-0/"),
    "odbl": Licence("odbl", "https://opendatacommons.org/licenses/odbl/1-0/"),
    "pddl": Licence("pddl", "https://opendatacommons.org/licenses/pddl/1-0/"),
    **{
        f"cc-{terms}-{version}": Licence(f"cc-{terms}-{version}", f"{_CC}{terms}/{version}/")
        for terms in ("by", "by-sa", "by-nc", "by-nd", "by-nc-sa", "by-nc-nd")
        for version in ("2.0", "2.5", "3.0", "4.0")
    },
}
_ALIASES = {
    "cc0": "cc0-1.0",
    "cc-zero": "cc0-1.0",
    "public-domain": "cc0-1.0",
    "apache": "apache-2.0",
    "apache-license-2.0": "apache-2.0",
    "odc-by-1.0": "odc-by",
    "odbl-1.0": "odbl",
    "pddl-1.0": "pddl",
    **{f"cc-{terms}": f"cc-{terms}-4.0" for terms in ("by", "by-sa", "by-nc", "by-nd", "by-nc-sa", "by-nc-nd")},
}
OTHER = Licence("other", "")


def find_licence(name: str) -> Licence:
    """The licence of a name such as `CC BY 4.0` or `cc-by-4.0`; OTHER for one that is not known here."""
    key = _SEPARATORS.sub("-", name.strip().casefold()).replace("creative-commons", "cc").replace("ccby", "cc-by")
    return _KNOWN.get(_ALIASES.get(key, key), OTHER)
