"""A chat server of our own on the loopback address, which answers as a test tells it to."""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = tuple[int, dict, bytes]
"""Status, headers, body."""


def completion(text, *, finish="stop", tokens=(10, 5), **more) -> Answer:
    body = {"model": "tiny-1", "system_fingerprint": "fp1", **more}
    body["choices"] = [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}]
    if tokens:
        body["usage"] = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}
    return 200, {}, json.dumps(body).encode()


def refusal(status, message="no", **headers) -> Answer:
    by_key = {name.replace("_", "-"): value for name, value in headers.items()}
    return status, by_key, json.dumps({"error": {"message": message}}).encode()


class Stub:
    """answer: called with each request's JSON (and its headers where it wants them), gives what comes back; a list is
    worked off in order."""

    wants_headers = False

    def __init__(self) -> None:
        self.answer: Callable[[dict], Answer] | list[Answer] = lambda asked: completion("A summary.")
        self.asked: list[dict] = []
        self.headers: list[dict[str, str]] = []
        self.lock = threading.Lock()
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                data = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with stub.lock:
                    stub.asked.append({**data, "path": self.path})
                    stub.headers.append(dict(self.headers))
                    result = stub.answer.pop(0) if isinstance(stub.answer, list) else stub.answer
                if callable(result):
                    result = result(data, dict(self.headers)) if stub.wants_headers else result(data)
                status, headers, body = result
                self.send_response(status)
                headers = {"Content-Length": str(len(body)), **headers}
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # a client that gave up
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/v1"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
