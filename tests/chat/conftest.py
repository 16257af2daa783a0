import pytest

from epitome.schema import load_preset
from epitome.systems.chat import ChatSystem
from epitome.systems.chat_client import ChatClient
from epitome.systems.chat_http import Limits
from epitome.systems.chat_servers import Server
from epitome.systems.chat_waiting import Backoff
from epitome.systems.config import parse_config
from epitome.systems.protocol import Request
from tests.chat.stub import Stub

KEY = "a-key-nobody-may-see"
CONFIG = """
[system]
key = "chat-a"
kind = "chat"
[options]
server = "lab"
model = "tiny"
"""


class Time:
    """A clock that only waiting moves."""

    def __init__(self):
        self.now = 0.0
        self.waits = []

    def clock(self):
        return self.now

    def sleep(self, seconds):
        self.waits.append(seconds)
        self.now += seconds


@pytest.fixture
def stub():
    other_stub = Stub()
    yield other_stub
    other_stub.close()


@pytest.fixture
def time():
    return Time()


@pytest.fixture
def client(stub, time):
    """A function that makes a client of the stub; jitter is always full."""

    def make(*, key_env="LAB_API_KEY", limits=None, **backoff):
        return ChatClient(
            Server("lab", stub.base, key_env),
            key_env=key_env,
            limits=limits or Limits(connect=5, total=5),
            backoff=Backoff(**backoff),
            environ={"LAB_API_KEY": KEY},
            clock=time.clock,
            sleep=time.sleep,
            jitter=lambda: 1.0,
        )

    return make


@pytest.fixture
def system(client):
    """A function that makes the system of a configuration with more options."""

    def make(more="", **options):
        return ChatSystem(parse_config(CONFIG + more), client(**options))

    return make


def request_of(number=0, *, text="The council met. It voted.", schema="macsum-doc", **values):
    usual = {"length": "short", "extractiveness": "full", "specificity": "high", "topic": ()}
    segments = ({"speaker": "", "text": text},)
    return Request(id=f"s{number}", segments=segments, values=usual | values, schema=load_preset(schema), seed=number)
