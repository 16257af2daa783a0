"""Everything a rater can ask for, every byte of the answers, and the disguises in which a name could be in them."""

import base64
import codecs
import hashlib
import re
import secrets
import uuid
from urllib.parse import quote

from django.conf import settings
from django.test import Client
from django.urls import reverse

from tests.security.routes import routes

WRONG_BODIES = (
    b"{",
    b"[1]",
    {"payload": {"answers": []}},
    {"payload": {"answers": {"nonsense": {"answer": "x"}}}},
    {"payload": {"answers": {}}, "done": True},
    {"payload": {"answers": {}}, "system": "x"},
    {"payload": {"answers": {}}, "revision": 0},
)
"""Answers to an item that are refused: unreadable, of another form, about what is not asked, unfinished, outdated."""


def disguises(word: str) -> set[bytes]:
    """A word and what an encoder could have made of it."""
    raw = word.encode()
    values = {raw, raw.hex().encode(), quote(word).encode(), codecs.encode(word, "rot13").encode()}
    values |= {hashlib.new(name, raw).hexdigest().encode() for name in ("md5", "sha1", "sha256")}
    values |= {base64.b64encode(hashlib.new(name, raw).digest())[:-2] for name in ("md5", "sha1", "sha256")}
    for number_before in range(3):  # base64 of a word in the middle of something: three alignments
        encoded = base64.b64encode(b"\0" * number_before + raw)
        values.add(encoded[4 if number_before else 0 : len(encoded) // 4 * 4 - 4])
    return {item.lower() for item in values} | {raw[::-1].lower()}


class Watch:
    """A rater's client that keeps every byte of every answer."""

    def __init__(self, user) -> None:
        self.client = Client(raise_request_exception=False)
        self.client.force_login(user)
        self.seen: list[bytes] = []

    def __call__(self, method: str, path: str, data=None, **options):
        kind = {"content_type": "application/json"} if path.startswith("/api/") else {}
        answer = getattr(self.client, method)(path, data, **kind, **options)
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        heads = "\n".join(f"{key}: {value}" for key, value in answer.headers.items())
        cookies = self.client.cookies.output()
        self.seen += [body, heads.encode(), cookies.encode(), path.encode()]
        return answer

    def leaks(self, canaries: list[str]) -> list[str]:
        forms = [(word, form) for word in canaries for form in disguises(word)]
        everything = b"\n".join({text.lower() for text in self.seen})
        return [f"{word} as {form!r}" for word, form in forms if form in everything]


def canary() -> str:
    return "zq" + secrets.token_hex(6)


def crawl(watch: Watch, project, made) -> None:
    """Everything a rater can ask for, the way a rater does, and what is asked for in vain."""
    for text in ("", "round", "run", "system"):
        watch("get", f"/search/?project={project.slug}&q={quote(text)}")
    for name in ("jobs-latest", "jobs-ended"):
        watch("get", reverse(name))
    watch("post", reverse("jobs-seen"))
    for path in ("/", f"/p/{project.slug}/rating/", f"/p/{project.slug}/rounds/", "/api/v1/rating/", "/api/schema/"):
        watch("get", path)
    base, round_ = "/api/v1/", f"rounds/{made.public_id}/"
    data = watch("get", f"{base}{round_}instructions/").json()
    watch("get", f"/rating/{made.public_id}/instructions/")
    watch("post", f"{base}{round_}instructions/", {"hash": data["hash"]})
    for path in ("", "judgements/", "launch/", "state/"):
        watch("get", base + round_ + path)
    assert watch("get", f"{base}{round_}interim/").status_code == 404
    assert watch("post", f"{base}{round_}interim/").status_code == 404
    report_pages = ("round-report", "round-report-file", "round-report-links", "round-site")
    for name in ("round", "round-interim", "round-judgements", "round-judges", "round-design", *report_pages):
        assert watch("get", reverse(name, args=[project.slug, made.public_id])).status_code == 404
    assert watch("post", reverse("round-interim", args=[project.slug, made.public_id])).status_code == 404
    for name in ("rounds-together", "rounds-together-file"):
        assert watch("get", f"{reverse(name, args=[project.slug])}?round={made.public_id}").status_code == 404
    assert watch("get", reverse("shared-report", args=[str(made.public_id)])).status_code == 404
    while (claimed := watch("post", f"{base}{round_}items/claim/")).status_code in (200, 201):
        item = claimed.json()
        page = watch("get", item["page"])
        assert page.status_code == 200
        watch("post", f"{base}items/{item['id']}/seen/")
        answers = {question["key"]: sound_answer(question) for question in item["questions"]}
        body = {"payload": {"answers": answers}, "done": True}
        assert watch("post", f"{base}items/{item['id']}/judgements/", body).status_code == 200
        watch("post", f"{base}items/{item['id']}/judgements/", {"payload": {"answers": {"nonsense": {"answer": "x"}}}})
        watch("get", f"{base}items/{item['id']}/")
    watch("get", f"{base}items/{uuid.uuid4()}/")
    watch("post", f"{base}{round_}instructions/", {"hash": "0"})
    watch("post", f"{base}{round_}qualification/", {"answers": {"1-nonsense": "x"}})
    watch("get", f"/p/{project.slug}/rating/")


def sound_answer(question: dict) -> dict[str, str]:
    """An answer by what the call tells of a question, with a reason where one may be given."""
    if question["places"]:
        answer = ">".join(letter.lower() for letter in question["letters"][: len(question["places"])])
    elif question["severities"]:
        answer = "[]"  # nothing is wrong
    else:
        answer = question["ends"]["most"] if question["ends"] else question["options"][0]["value"]
    return {"answer": answer, **({"why": "Because."} if question["why"] else {})}


def crawl_static(watch: Watch) -> None:
    for folder in ("js", "css"):
        for file in sorted((settings.BASE_DIR / "static" / folder).iterdir()):
            watch("get", f"/static/{folder}/{file.name}")


ENDS_THE_VISIT = {"sign-out", "sign-out-all"}


def answer_wrongly(watch: Watch, item: str) -> set[int]:
    """The statuses of the refusals."""
    address = f"/api/v1/items/{item}/judgements/"
    return {watch("post", address, body).status_code for body in WRONG_BODIES} | {watch("put", address, {}).status_code}


def ask_every_route(watch: Watch, slug: str, ids: list[str]) -> int:
    """Every page and call of the URLconf by GET and POST, with each of the ids that a rater has seen; how many."""
    paths = sorted(
        {fill_route(route, slug, id_) for name, route, _view in routes() for id_ in ids if name != "sign-out"}
    )
    for path in paths:
        watch("get", path)
        watch("post", path, {})
    return len(paths)


def fill_route(route: str, slug: str, id_: str) -> str:
    """An address of a route: the slug, and everywhere else the id or 1."""

    def value(match: re.Match[str]) -> str:
        kind, _colon, name = match[1].rpartition(":")
        return slug if name == "slug" else id_ if kind == "uuid" else "1"

    return "/" + re.sub(r"<([^>]+)>", value, route)
