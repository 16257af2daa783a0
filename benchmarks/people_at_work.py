"""People in browsers, for benchmarks.soak and benchmarks.busy: annotators and raters who open pages, wait as long as
people do, save and hand in; scripts that export and import beside them. What each sends and is answered is written down
with the seconds that it took, and held against the database in the end.
"""

import json
import random
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.annotators import PAYLOAD, Connection
from benchmarks.cuts import Client
from benchmarks.load import make_sessions, spread

SLUG, RATED = "soak", "bench"
"""The project of the annotators, and that of the raters."""
TASK_SECONDS, ITEM_SECONDS = 30.0, 12.0
DRAFTS = 3
EVERY_JOB = 60.0
JOB_SECONDS = 180
IMPORTED = 100
TASKS_PER_VISIT = 4
"""After so many tasks an annotator looks at My work."""


class Person(Client):
    """Somebody with a session, in no hurry; an answer of 500 and more is asked for again."""

    slug = SLUG

    def __init__(self, port: int, credential: str, deadline: float, seed: str) -> None:
        super().__init__(port, credential, deadline)
        self.chance = random.Random(seed)

    def think(self, seconds: float) -> None:
        """About so long, but not past the end."""
        time.sleep(max(0.0, min(self.chance.uniform(0.5, 1.5) * seconds, self.deadline - time.monotonic())))

    @property
    def has_time(self) -> bool:
        return time.monotonic() < self.deadline

    def open(self, path: str) -> int:
        """A page, as the browser asks for it."""
        return self.ask("page", "GET", path)[0]

    def go(self, path: str) -> str:
        """Press a button that leads to a page; the page that it leads to, which is opened."""
        status, headers, _body = self.ask("button", "POST", path)
        if status != 302:
            return ""
        self.open(headers["location"])
        return headers["location"]


def read_id(path: str) -> str:
    """The id at the end of a page's address."""
    return path.partition("?")[0].rstrip("/").rsplit("/", 1)[1]


class Writer(Person):
    """An annotator: My work, the task's page, drafts, the submit that brings the next task."""

    def work(self) -> None:
        self.think(TASK_SECONDS / 2)
        while self.has_time:
            self.open(f"/p/{SLUG}/work/")
            page = self.go(f"/p/{SLUG}/next/")
            if "/tasks/" not in page:
                return
            task: str | None = read_id(page)
            for number in range(TASKS_PER_VISIT):
                if task is None or not self.has_time:
                    break
                task = self.do_task(task, stops=number == TASKS_PER_VISIT - 1)

    def do_task(self, task: str, *, stops: bool) -> str | None:
        """Write and hand in; the next task, which the answer brings."""
        text, revision = "", 0
        for number in range(DRAFTS):
            self.think(TASK_SECONDS / (DRAFTS + 1))
            text = f"{uuid.uuid4()} the ferry left late, draft {number}."
            draft = {"revision": revision, "payload": {"summary": text}}
            status, saved = self.send("draft", "PUT", f"assignments/{task}/draft/", draft)
            revision = saved["revision"] if status == 200 else revision
        self.think(TASK_SECONDS / (DRAFTS + 1))
        self.log.sent.add(text)
        body = {"payload": {**PAYLOAD, "summary": text}, "stop": stops}
        key = f"Idempotency-Key: {uuid.uuid4()}\r\n"
        status, answer = self.send("submit", "POST", f"/tasks/{task}/submit/", body, key)
        if status != 201:
            return None
        self.log.acknowledged.add(text)
        following = answer.get("page")
        return str(following["task"]["id"]) if following else None


class Rater(Person):
    """A rater: the list of rounds, then one item's page after the other."""

    def __init__(self, port: int, credential: str, deadline: float, seed: str, round_id: str) -> None:
        super().__init__(port, credential, deadline, seed)
        self.round_id = round_id
        self.answers: dict[str, Any] = {}
        self.rated: set[str] = set()

    def work(self) -> None:
        self.think(ITEM_SECONDS)
        while self.has_time:
            self.open(f"/p/{RATED}/rating/")
            page = self.go(f"/rating/{self.round_id}/next/")
            if "/items/" not in page:
                return
            while page and self.has_time:
                page = self.rate(read_id(page))

    def rate(self, item: str) -> str:
        """Answer an item; the page of the next one, which is opened."""
        if not self.answers:
            _status, entry = self.call("GET", f"items/{item}/")
            self.answers = {ask["key"]: {"answer": ask["options"][0]["value"]} for ask in entry["questions"]}
        self.think(ITEM_SECONDS)
        body = {"payload": {"answers": self.answers}, "done": True, "next": "page"}
        status, answer = self.send("judgement", "POST", f"items/{item}/judgements/", body)
        if status != 200:
            return ""
        self.rated.add(item)
        page = str((answer.get("next") or {}).get("page", ""))
        if page:
            self.open(page)
        return page


class JobStarter(Person):
    """A script of an administrator that starts a job every minute and waits for it."""

    def work(self) -> None:
        number = 0
        while self.has_time:
            number += 1
            begun = time.monotonic()
            job = self.start(number)
            if job:
                self.wait_for(job)
            time.sleep(max(0.0, min(begun + EVERY_JOB, self.deadline) - time.monotonic()))

    def start(self, number: int) -> str:
        raise NotImplementedError

    def wait_for(self, job: str) -> None:
        until = time.monotonic() + JOB_SECONDS
        while time.monotonic() < until:
            _status, row = self.call("GET", f"jobs/{job}/")
            if row["state"] not in ("queued", "running"):
                self.log.statuses[f"{row['kind']} {row['state']}"] += 1
                return
            time.sleep(1)
        self.log.statuses["job late"] += 1


class Exporter(JobStarter):
    def start(self, number: int) -> str:
        status, job = self.call("POST", f"projects/{SLUG}/exports/", {"format": "jsonl"})
        return str(job["id"]) if status == 202 else ""


class Importer(JobStarter):
    """imported: the ids of the sources whose import was said to be done."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.n_imported = 0

    def start(self, number: int) -> str:
        lines = (
            json.dumps({"id": f"later-{number}-{place}", "text": f"Ferry {number}, {place}, left late."})
            for place in range(IMPORTED)
        )
        body, extra = build_upload("\n".join(lines).encode())
        status, _headers, answer = self.ask("upload", "POST", f"projects/{RATED}/imports/", body, extra)
        return str(json.loads(answer)["id"]) if status == 202 else ""

    def wait_for(self, job: str) -> None:
        n_before = self.log.statuses["import done"]
        super().wait_for(job)
        self.n_imported += IMPORTED * (self.log.statuses["import done"] - n_before)


def build_upload(content: bytes) -> tuple[bytes, str]:
    """A file of sources as a form sends it: the body, and the header that says so."""
    border = uuid.uuid4().hex
    fields = b"".join(
        f'--{border}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in (("format", "jsonl"), ("licence", "CC0-1.0"))
    )
    head = f'--{border}\r\nContent-Disposition: form-data; name="file"; filename="sources.jsonl"\r\n\r\n'
    body = fields + head.encode() + content + f"\r\n--{border}--\r\n".encode()
    return body, f"Content-Type: multipart/form-data; boundary={border}\r\n"


@dataclass
class Crowd:
    """Everybody at work on one site."""

    project: Any
    round_id: str
    writer_sessions: list[str]
    rater_sessions: list[str]
    admin_tokens: list[str]
    people: list[Person] = field(default_factory=list)
    threads: list[threading.Thread] = field(default_factory=list)

    @classmethod
    def make(cls, *, annotators: int, raters: int, seconds: float) -> "Crowd":
        """Two projects with more work than so many can do in this time."""
        from django.contrib.auth.models import User

        from annotation.models import Membership, Project, Role
        from benchmarks.rating import build
        from tests.tasks.factories import make_people, make_project, make_tokens

        n_documents = 20 + int(annotators * seconds / TASK_SECONDS / 8)
        shape = {"documents": n_documents, "groups": 4, "size": 2, "overlap": 2, "n_words": 400}
        project = make_project(SLUG, **shape, frozen=True, claim_unit="sample")
        writers = make_people(annotators, project)
        n_items = 40 + int(raters * seconds / ITEM_SECONDS / 2)
        round_id, _tokens = build(n_items, raters)
        admins = make_people(2, project, role=Role.ADMIN)
        rated = Project.objects.get(slug=RATED)
        Membership.objects.bulk_create(Membership(user=user, project=rated, role=Role.ADMIN) for user in admins)
        rater_users = list(User.objects.filter(memberships__project=rated, memberships__role=Role.RATER).order_by("pk"))
        return cls(project, round_id, make_sessions(writers), make_sessions(rater_users), make_tokens(admins))

    def begin(self, port: int, deadline: float, *, starters: Sequence[type[JobStarter]] = (), seed: int = 1) -> None:
        self.people = [
            *(Writer(port, key, deadline, f"{seed} {n}") for n, key in enumerate(self.writer_sessions)),
            *(Rater(port, key, deadline, f"{seed} r{n}", self.round_id) for n, key in enumerate(self.rater_sessions)),
            *(
                kind(port, token, deadline, f"{seed} {kind.__name__}")
                for kind, token in zip(starters, self.admin_tokens, strict=False)
            ),
        ]
        self.threads = [threading.Thread(target=person.work, daemon=True) for person in self.people]
        for thread in self.threads:
            thread.start()

    def wait(self) -> None:
        for thread in self.threads:
            thread.join()

    def report(self) -> dict[str, Any]:
        """Answers by status, milliseconds of each kind of request, and what was acknowledged against what is stored."""
        from benchmarks.cuts import compare_with_database

        logs = [person.log for person in self.people]
        statuses: Counter[str] = sum((log.statuses for log in logs), Counter())
        compared = compare_with_database(self.project, logs)
        compared["faults"] |= self.compare_ratings() | self.compare_imports()
        return {
            "answers": dict(sorted(statuses.items())),
            "resent": sum(log.resent for log in logs),
            "ms": list_times(logs),
            **compared,
            "rated": sum(len(person.rated) for person in self.people if isinstance(person, Rater)),
            "first_refused": [text for log in logs for text in log.refused][:3],
        }

    def compare_ratings(self) -> dict[str, int]:
        """Acknowledged judgements that are not stored, and items rated twice by one rater."""
        from django.db.models import Count

        from evaluation.models import ItemAssignment

        done = ItemAssignment.objects.filter(round__public_id=self.round_id, state="done")
        stored = {str(public_id) for public_id in done.values_list("public_id", flat=True)}
        rated = {item for person in self.people if isinstance(person, Rater) for item in person.rated}
        twice = done.values("item", "rater").annotate(n=Count("pk")).filter(n__gt=1).count()
        return {"lost_ratings": len(rated - stored), "doubled_ratings": twice}

    def compare_imports(self) -> dict[str, int]:
        """Sources of imports that were said to be done and are not there, or there twice."""
        from annotation.models import SourceDocument

        n_said = sum(person.n_imported for person in self.people if isinstance(person, Importer))
        stored = SourceDocument.objects.filter(
            project__slug=RATED, external_id__startswith="later-", source_import__published_at__isnull=False
        )
        names = list(stored.values_list("external_id", flat=True))
        return {"lost_sources": max(0, n_said - len(set(names))), "doubled_sources": len(names) - len(set(names))}


def list_times(logs: Iterable[Any]) -> dict[str, dict[str, float]]:
    """kind of request -> p50, p95 and the longest, in milliseconds, and how many there were."""
    seconds: dict[str, list[float]] = {}
    for log in logs:
        for name, values in log.seconds.items():
            seconds.setdefault(name, []).extend(values)
    seconds["any"] = [value for values in seconds.values() for value in values]
    return {name: {**spread(values), "n": len(values)} for name, values in sorted(seconds.items())}


__all__ = ["Connection", "Crowd", "Exporter", "Importer", "Rater", "Writer", "build_upload"]
