"""A chat server that rewrites abstracts by rule, so that every answer can be told from its request.

Sentences with a digit are empirical content, the others conceptual. It counts what it has answered, which is what a
provider would charge for. `python -m tests.construction.rule_server PORT` serves on its own.
"""

import json
import re
import sys
import threading
import time

from tests.chat.stub import Stub, completion

SENTENCE = re.compile(r"(?<=[.!?])\s+")


def split_sentences(text):
    return SENTENCE.split(text.strip())


def simplify(abstract):
    """The rewrite for lay readers: all sentences but the last where there are more than two."""
    sentences = split_sentences(abstract)
    return "Put simply: " + " ".join(sentences[:-1] if len(sentences) > 2 else sentences)


def find_content(abstract):
    """(empirical, conceptual) content, None where there is none."""
    sentences = split_sentences(abstract)
    kinds = ([s for s in sentences if re.search(r"\d", s)], [s for s in sentences if not re.search(r"\d", s)])
    return tuple(" ".join(kind) or None for kind in kinds)


def abstract_of(messages):
    text = next(m["content"] for m in messages if m["role"] == "user")
    return text.split("Abstract:\n", 1)[1].split("\n\nAnswer with", 1)[0]


def answer_by_rule(request):
    """The text of the answer to one request."""
    messages = request["messages"]
    abstract = abstract_of(messages)
    if "middle-school" in messages[1]["content"]:
        return simplify(abstract)
    empirical, conceptual = find_content(abstract)
    if len(messages) >= 4 and "Empirical Summary" in messages[3]["content"]:
        return json.dumps(
            {"Empirical Summary": f"Measured: {empirical}", "Conceptual Summary": f"The idea: {conceptual}"}
        )
    return (
        "Here it is:\n```json\n"
        + json.dumps({"Empirical Content": empirical, "Conceptual Content": conceptual})
        + "\n```"
    )


def conversation_of(request):
    return json.dumps(request["messages"])


class RuleServer(Stub):
    """answered: every conversation that was answered and charged for, as often as it was; seconds: how long an answer
    takes; under_way: requests that wait for their answer.

    remembers: like a gateway that knows idempotency keys, it answers a repeated key from its store, free of charge.
    """

    wants_headers = True

    def __init__(self, seconds=0.0, remembers=False):
        super().__init__()
        self.seconds, self.remembers = seconds, remembers
        self.answered = []
        self.under_way = 0
        self.stored = {}
        self.counting = threading.Lock()
        self.answer = self.reply

    def reply(self, request, headers=None):
        with self.counting:
            self.under_way += 1
        try:
            return self.answer_once(request, (headers or {}).get("Idempotency-Key"))
        finally:
            with self.counting:
                self.under_way -= 1

    def answer_once(self, request, key):
        """Answers are charged for when they are ready, whether or not anybody still waits for them."""
        if self.seconds:
            time.sleep(self.seconds)
        with self.counting:
            if self.remembers and key in self.stored:
                return self.stored[key]
            self.answered.append(conversation_of(request))
            text = answer_by_rule(request)
            size = sum(len(message["content"]) for message in request["messages"])
            self.stored[key] = completion(text, tokens=(size // 4, len(text) // 4))
            return self.stored[key]


if __name__ == "__main__":
    server = RuleServer(seconds=0.05)
    print(server.base, flush=True)
    try:
        threading.Event().wait(float(sys.argv[1]) if len(sys.argv) > 1 else None)
    except KeyboardInterrupt:
        server.close()
