"""Prolific as its API is documented, on the loopback address: it keeps studies, submissions and money."""

import json
from collections import defaultdict
from typing import Any

from tests.client.stub import Call, Reply, SiteStub

TOKEN = "prolific-secret-token-of-the-lab"


class PlatformStub(SiteStub):
    """studies, submissions: by id. paid: amounts by submission. cuts: paths whose answer is cut off, after the work.
    refusals: path to an answer in place of the work."""

    def __init__(self) -> None:
        super().__init__(Reply())
        self.studies: dict[str, dict[str, Any]] = {}
        self.submissions: dict[str, dict[str, Any]] = {}
        self.batches: dict[str, str] = {}
        self.paid: dict[str, list[int]] = defaultdict(list)
        self.cuts: list[str] = []
        self.refusals: dict[str, Reply] = {}

    def count_calls(self, part: str) -> int:
        return sum(part in call.path and call.method == "POST" for call in self.calls)

    def add_submission(self, study: str, participant: str, code: str, **values: Any) -> str:
        name = f"sub{len(self.submissions) + 1}"
        row = {"id": name, "participant_id": participant, "study_code": code, "status": "AWAITING REVIEW"}
        self.submissions[name] = {**row, "study": study, "completed_at": "2026-11-20T10:00:00Z", **values}
        return name

    def reply_to(self, call: Call) -> Reply:
        if call.headers.get("Authorization") != f"Token {TOKEN}":
            return Reply(401, {"error": {"detail": f"Bad token {call.headers.get('Authorization')}"}})
        path = call.path.removeprefix("/api/v1/").partition("?")[0]
        for key, reply in self.refusals.items():
            if key in path and call.method == "POST":
                return reply
        answer = self.work(call, [piece for piece in path.split("/") if piece])
        if self.cuts and self.cuts[0] in path:
            self.cuts.pop(0)
            return Reply(cut=0)
        return answer

    def work(self, call: Call, pieces: list[str]) -> Reply:
        if call.method == "GET":
            return self.show(pieces)
        match pieces:
            case ["studies"]:
                name = f"study{len(self.studies) + 1}"
                self.studies[name] = {**call.json, "id": name, "status": "UNPUBLISHED"}
                return Reply(201, self.studies[name])
            case ["studies", name, "transition"]:
                self.studies[name]["status"] = "ACTIVE"
                return Reply(200, self.studies[name])
            case ["submissions", "bonus-payments"]:
                name = f"bulk{len(self.batches) + 1}"
                self.batches[name] = call.json["csv_bonuses"]
                return Reply(201, {"id": name, "study": call.json["study_id"], "amount": 1.0})
            case ["bulk-bonus-payments", name, "pay"]:
                for line in self.batches[name].splitlines():
                    submission, amount = line.split(",")
                    self.paid[submission].append(round(float(amount) * 100))
                return Reply(200, "It is being processed.")
            case ["submissions", name, "transition"]:
                self.submissions[name]["status"] = {"APPROVE": "APPROVED", "REJECT": "REJECTED"}[call.json["action"]]
                return Reply(200, {"id": name, "status": self.submissions[name]["status"]})
            case ["submissions", name, "request-return"]:
                return Reply(200, {"id": name, "status": "AWAITING REVIEW"})
        raise AssertionError(f"no such call: {call.method} {call.path}")

    def show(self, pieces: list[str]) -> Reply:
        match pieces:
            case ["studies"]:
                return Reply(200, {"results": list(self.studies.values())})
            case ["studies", name]:
                return Reply(200, self.studies[name])
            case ["studies", name, "submissions"]:
                rows = [row for row in self.submissions.values() if row["study"] == name]
                return Reply(200, {"results": rows})
            case ["submissions", name]:
                row = self.submissions[name]
                bonuses = {"bonus_payments": self.paid[name]} if self.paid[name] else {}
                return Reply(200, {**row, "participant": row["participant_id"], **bonuses})
        raise AssertionError(f"no such call: GET {'/'.join(pieces)}")


def secrets_in(*texts: Any) -> bool:
    return any(TOKEN in json.dumps(text, default=str) for text in texts)
