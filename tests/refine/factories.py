"""Configurations of systems that refine, a base that answers as a test says, and requests with lengths in words."""

import re

from epitome.schema import load_preset
from epitome.systems.config import parse_config
from epitome.systems.protocol import Output, Request
from epitome.systems.refine.system import RefineSystem
from tests.chat.stub import completion

CHAT = """
[options.base]
kind = "chat"
[options.base.options]
server = "lab"
model = "tiny"
concurrency = 2
"""
PRICE = '[options.base.options.price]\ninput = 2.0\noutput = 8.0\ncurrency = "EUR"\n'
TEXT = "The council met on Monday. It voted on the bridge. Ferries stay until April. Fares rise for visitors."


def refine_toml(options="", base=CHAT, key="refined"):
    return f'[system]\nkey = "{key}"\nkind = "refine"\nname = "Refined"\n[options]\n{options}\n{base}'


def words(n, last=""):
    """A text of n words, `last` at its end."""
    return " ".join([f"w{number}" for number in range(n - bool(last))] + ([last] if last else []))


class ScriptedBase:
    """Answers by a function of the request, whose turns it notes; every call costs 10 tokens in, 5 out, and 20."""

    key, kind, role, batch_size = "base", "chat", "generate", 4

    def __init__(self, answer, follows=None):
        self.answer, self.asked = answer, []
        self.follows = follows or dict.fromkeys(("length", "extractiveness", "specificity", "topic"))

    def generate(self, batch):
        self.asked += batch
        usage = {"attempts": 1, "prompt_tokens": 10, "completion_tokens": 5, "cost": 20.0}
        return [Output(self.answer(request), prompt="the prompt", usage=usage, seconds=0.5) for request in batch]


def refine(answer, options="", *, base=CHAT, follows=None):
    """The system of these options over a scripted base."""
    return RefineSystem(parse_config(refine_toml(options, base)), ScriptedBase(answer, follows))


def request_of(number=0, schema="short-articles", **values):
    """A request for 8 to 20 words."""
    requested = {"length": "short", **values}
    segments = tuple({"speaker": "", "text": sentence} for sentence in re.findall(r"[^.]+\.", TEXT))
    return Request(id=f"s{number}", segments=segments, values=requested, schema=load_preset(schema), seed=number)


def last_turn(request):
    """What was said last about a draft; "" in the first step."""
    return request.turns[-1]["content"] if request.turns else ""


def obey(asked):
    """A server's answer: 30 words at first, then the least that is wanted, with every quoted topic in it."""
    said = asked["messages"][-1]["content"]
    wanted = re.search(r"It should be (\d+) to \d+ words", said)
    topics = " ".join(re.findall(r'"([^"]+)"', said)) if "should be" in said else ""
    text = words(int(wanted[1]) if wanted else 30)
    return completion(f"{text} {topics}".strip(), tokens=(100, 10))
