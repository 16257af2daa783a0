"""Memory of all processes of the demo while nothing happens: resident (RSS) and proportional (PSS) megabytes.

    python -m benchmarks.idle

Measured before the first text job, when no worker has loaded a language pipeline yet. Target: at most 250 MB.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def processes(folder: str) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and folder.encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def megabytes(pid: int, field: str) -> float:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    return 0.0


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "EPITOME_DATA_DIR": folder, "DATABASE_URL": ""}
        command = [sys.executable, "manage.py", "demo", "--port", "8765"]
        started = time.monotonic()
        demo = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)
        try:
            assert demo.stdout is not None
            for line in demo.stdout:
                if line.startswith("Ctrl-C"):
                    break
            ready = time.monotonic() - started
            time.sleep(5)
            rows = []
            for pid in processes(folder):
                name = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()[:90]
                rows.append((megabytes(pid, "Rss:"), megabytes(pid, "Pss:"), name))
        finally:
            demo.send_signal(signal.SIGTERM)
            demo.wait(timeout=10)
    for rss, pss, name in sorted(rows, reverse=True):
        print(f"{rss:8.1f} MB RSS {pss:8.1f} MB PSS  {name}")
    print(
        json.dumps(
            {
                "benchmark": "idle",
                "rss_mb": round(sum(r[0] for r in rows), 1),
                "pss_mb": round(sum(r[1] for r in rows), 1),
                "processes": len(rows),
                "seconds_to_ready": round(ready, 1),
            }
        )
    )


if __name__ == "__main__":
    main()
