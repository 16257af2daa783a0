"""Set when this process should stop: long-running jobs check it between steps."""

import threading

STOPPING = threading.Event()
