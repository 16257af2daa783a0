"""Slow clients: python -m benchmarks.slow_clients [--engine sqlite|postgresql|demo] [--clients 200] [--seconds 45]

Serves the site with its production settings (or the demo), opens CLIENTS connections that say nothing, send half a
header or half a body, and then one more byte every five seconds, and opens a cut one anew; all the while another client
opens the sign-in page. Target: no page takes 1 s or more. Prints the slowest page and how many connections were cut.
"""

import argparse
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager

from benchmarks.databases import SERVED, on_each
from benchmarks.load import ROOT, serving

BEGINNINGS = (
    b"",
    b"GET /sign-in/ HTTP/1.1\r\nHost: 127",
    b"POST /sign-in/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5000\r\n\r\nx",
)
EVERY = 5.0
TARGET_MS = 1000
DEMO_PORT = 8766


class SlowClients:
    def __init__(self, port: int, count: int) -> None:
        self.port, self.cut = port, 0
        self.open = [self.begin(number) for number in range(count)]

    def begin(self, number: int) -> socket.socket:
        client = socket.create_connection(("127.0.0.1", self.port), timeout=5)
        client.sendall(BEGINNINGS[number % len(BEGINNINGS)])
        client.setblocking(False)
        return client

    def send_a_byte(self) -> None:
        for number, client in enumerate(self.open):
            try:
                if client.recv(1000) == b"":
                    raise ConnectionResetError
            except BlockingIOError:
                pass
            except OSError:
                self.cut += 1
                client.close()
                self.open[number] = self.begin(number)
                continue
            if BEGINNINGS[number % len(BEGINNINGS)]:
                client.send(b"x")

    def close(self) -> None:
        for client in self.open:
            client.close()


@contextmanager
def serving_demo():
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "EPITOME_DATA_DIR": folder, "DATABASE_URL": ""}
        command = [sys.executable, "manage.py", "demo", "--port", str(DEMO_PORT)]
        demo = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        try:
            assert demo.stdout is not None
            next(line for line in demo.stdout if line.startswith("Ctrl-C"))
            yield DEMO_PORT, demo.pid
        finally:
            demo.send_signal(signal.SIGTERM)
            demo.wait(20)


def measure(port: int, count: int, seconds: float) -> dict[str, float]:
    clients = SlowClients(port, count)
    started, sent, page_ms = time.monotonic(), time.monotonic(), []
    while time.monotonic() - started < seconds:
        if time.monotonic() - sent > EVERY:
            clients.send_a_byte()
            sent = time.monotonic()
        begun = time.perf_counter()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/sign-in/", timeout=60) as page:
            page.read()
        page_ms.append((time.perf_counter() - begun) * 1000)
        time.sleep(0.1)
    clients.close()
    return {
        "pages": len(page_ms),
        "median_ms": round(statistics.median(page_ms), 1),
        "slowest_ms": round(max(page_ms), 1),
        "cut": clients.cut,
    }


def report(engine: str, args: argparse.Namespace, serve) -> None:
    with serve() as (port, _server):
        figures = measure(port, args.clients, args.seconds)
    verdict = "holds" if figures["slowest_ms"] < TARGET_MS else "MISSED"
    print(
        f"{engine}: {args.clients} slow clients, slowest page {figures['slowest_ms']} ms (under {TARGET_MS}: {verdict})"
    )
    print(json.dumps({"benchmark": "slow_clients", "engine": engine, "clients": args.clients, **figures}))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=["sqlite", "postgresql", "demo"])
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=45)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        report(args.engine, args, serving)
        return
    if args.engine != "demo":
        on_each(
            "benchmarks.slow_clients",
            args.engine,
            ["--clients", str(args.clients), "--seconds", str(args.seconds)],
            **SERVED,
        )
    if args.engine in (None, "demo"):
        report("demo", args, serving_demo)


if __name__ == "__main__":
    main()
