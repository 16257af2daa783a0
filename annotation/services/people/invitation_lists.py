"""Many invitations at once: a list of e-mail addresses, pasted or from a CSV file, one link for each."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from django.contrib.auth.models import AbstractBaseUser, User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core.errors import BadInput
from annotation.services.people.invitations import create_invitation
from annotation.transactions import write_transaction

MOST_ADDRESSES = 500
LONGEST_ADDRESS = 100
"""Characters of an invitation's name, which is the address."""
SEPARATORS = re.compile(r"[,;\t]")
IN_BRACKETS = re.compile(r"<([^<>]*)>")


class AddressLine(NamedTuple):
    """One address of a list, or what is wrong with its line. number: of the line, from 1."""

    number: int
    address: str
    fault: str = ""


class Invited(NamedTuple):
    """One line with the secret of its link; "" where a fault says why there is none."""

    number: int
    address: str
    secret: str
    fault: str


def parse_addresses(text: str) -> list[AddressLine]:
    """Every address of the text, in order: one or several per line, with or without names, or columns of a CSV file.

    A first line without an address is a heading. Raises BadInput for an empty or too long list.
    """
    entries: list[AddressLine] = []
    first_numbers: dict[str, int] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if not line.strip():
            continue
        cells = [cell for cell in map(_clean_cell, SEPARATORS.split(line)) if "@" in cell]
        if not cells and not entries:
            continue
        for cell in cells or [line.strip()[:LONGEST_ADDRESS]]:
            fault = _find_fault(cell, first_numbers)
            first_numbers.setdefault(cell.casefold(), number)
            entries.append(AddressLine(number, cell, fault))
    if not entries:
        raise BadInput(_("No e-mail address was found. Write one per line."), field="addresses")
    if len(entries) > MOST_ADDRESSES:
        message = _("Too many addresses: %(n)d. Invite up to %(most)d at a time.")
        raise BadInput(message % {"most": MOST_ADDRESSES, "n": len(entries)}, field="addresses")
    return entries


def _clean_cell(cell: str) -> str:
    """The address of a cell such as `"Surname" <a@example.org>`."""
    in_brackets = IN_BRACKETS.search(cell)
    return (in_brackets.group(1) if in_brackets else cell).strip().strip("\"'").strip()


def _find_fault(address: str, first_numbers: dict[str, int]) -> str:
    if len(address) > LONGEST_ADDRESS:
        return _("Too long: at most %(n)d characters.") % {"n": LONGEST_ADDRESS}
    try:
        validate_email(address)
    except ValidationError:
        return _("Not a valid e-mail address.")
    if address.casefold() in first_numbers:
        return _("Already on line %(n)d.") % {"n": first_numbers[address.casefold()]}
    return ""


def create_invitations(
    *, project: Project, lines: Sequence[AddressLine], roles: Sequence[str], days: int, by: AbstractBaseUser
) -> list[Invited]:
    """One link for one person per address, all or none; members are left out with a fault. Raises BadInput."""
    members = User.objects.filter(memberships__project=project).exclude(email="").values_list("email", flat=True)
    members_emails = {email.casefold() for email in members}
    outcomes = []
    with write_transaction():
        for line in lines:
            fault, secret = line.fault, ""
            if not fault and line.address.casefold() in members_emails:
                fault = _("Already a member of this project.")
            if not fault:
                _row, secret = create_invitation(project=project, name=line.address, roles=roles, days=days, by=by)
            outcomes.append(Invited(line.number, line.address, secret, fault))
    return outcomes
