"""Every form of every page, and what people and scripts might send of it: sound, spoilt, too long, of the wrong type,
with fields missing, and with what belongs to somebody else."""

import random
import re
import uuid
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urljoin

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction

SPOILT = (
    "", " ", "\0", "\u202e", "=1+1", "-1", "0", "1e999", "NaN", "9" * 400, "2026-02-30", "null", "true", "[]", "{}",
    '{"a": NaN}', "[" * 2000, "../../etc/passwd", "<b>&\"'", "a" * 100_000, "e\u0301" * 500, "\ufdd0", "a\r\nb", ",,,",
)  # fmt: skip
KINDS = ("sound", "spoilt", "spoilt", "missing", "foreign", "doubled", "unknown", "several")
REFUSALS = {
    400: re.compile(r"<h1[^>]*>\s*\S"),
    422: re.compile(r'role="alert"|class="faults"|class="notice danger"'),
}
"""How a page says what is wrong: a page of the error alone, or beside the field or above the form."""


@dataclass
class Form:
    """A form of a page. fields: name -> value that the page proposes; choices: of a name; files: names of files."""

    address: str
    fields: dict[str, str] = field(default_factory=dict)
    choices: dict[str, list[str]] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)


class _Reader(HTMLParser):
    def __init__(self, address: str) -> None:
        super().__init__()
        self.address = address
        self.forms: list[Form] = []
        self.by_id: dict[str, Form] = {}
        self.form: Form | None = None
        self.select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        by_key = {name: value or "" for name, value in attrs}
        if tag == "form":
            form = Form(urljoin(self.address, by_key.get("action", "")))
            self.form = form
            self.by_id[by_key.get("id", "")] = form
            if by_key.get("method", "get").lower() == "post":
                self.forms.append(form)
        form = self.by_id.get(by_key["form"]) if "form" in by_key else self.form
        name = by_key.get("name", "")
        if form is None:
            return
        if tag == "option":
            form.choices.setdefault(self.select, []).append(by_key.get("value", ""))
            if "selected" in by_key or self.select not in form.fields:
                form.fields[self.select] = by_key.get("value", "")
        elif tag == "select":
            self.select = name
        elif name and tag in ("input", "textarea", "button"):
            self._add(form, name, by_key)

    def _add(self, form: Form, name: str, by_key: dict[str, str]) -> None:
        kind = by_key.get("type", "")
        if kind == "file":
            form.files.add(name)
        elif kind in ("radio", "checkbox", "submit") or "value" not in by_key:
            form.choices.setdefault(name, []).append(by_key.get("value", "on"))
            form.fields.setdefault(name, by_key.get("value", ""))
        else:
            form.fields[name] = by_key["value"]

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.form = None


def read_forms(address: str, html: str) -> list[Form]:
    """The forms of a page that are sent by POST."""
    reader = _Reader(address)
    reader.feed(html)
    return reader.forms


def fill(form: Form, rng: random.Random) -> dict[str, object]:
    """What is sent: as the page proposes it, then changed in one of the ways."""
    sent: dict[str, object] = {
        name: rng.choice(form.choices[name]) if name in form.choices else value for name, value in form.fields.items()
    }
    for name in form.files:
        sent[name] = SimpleUploadedFile(
            "a.jsonl", rng.choice((b'{"id": "a", "text": "One."}\n', b"", b"PK\3\4", b"\xff"))
        )
    how, names = rng.choice(KINDS), sorted(sent)
    if not names or how == "sound":
        return sent
    for name in rng.sample(names, min(len(names), rng.choice((3, 5)) if how == "several" else 1)):
        if how in ("spoilt", "several"):
            sent[name] = rng.choice(SPOILT)
        elif how == "missing":
            del sent[name]
        elif how == "foreign":
            sent[name] = rng.choice((str(uuid.UUID(int=rng.getrandbits(128))), str(rng.randrange(10**9)), "elsewhere"))
        elif how == "doubled":
            sent[name] = [sent[name], rng.choice(SPOILT)]
        else:
            sent[f"{name}__password"] = rng.choice(SPOILT)
    return sent


def send(client, form: Form, sent: dict[str, object]) -> tuple[int, str]:
    """The status of the answer, and its page where the form is refused; what it changed is taken back."""
    cookies = {name: morsel.value for name, morsel in client.cookies.items()}
    with transaction.atomic():
        answer = client.post(form.address, sent)
        refused = answer.status_code in (400, 422)
        text = "" if answer.streaming or not refused else answer.content.decode()
        transaction.set_rollback(True)
    client.cookies.clear()  # of a form that signs out
    for name, value in cookies.items():
        client.cookies[name] = value
    return answer.status_code, text
