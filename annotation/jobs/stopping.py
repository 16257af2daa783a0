"""Whether this process was asked to end: long work looks here between its pieces."""

import threading

STOPPING = threading.Event()
