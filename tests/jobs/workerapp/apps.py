import sys
import threading

from django.apps import AppConfig

HOARD = []


class WorkerAppConfig(AppConfig):
    name = "tests.jobs.workerapp"

    def ready(self):
        from annotation.jobs import register_handler

        @register_handler("linger", "Linger")
        def linger(job, progress):
            """Hangs in its first attempt, until the worker is killed; the second one finishes."""
            progress.set(1, 2)
            progress.flush()
            if job.attempts == 1:
                threading.Event().wait()
            progress.set(2, 2)
            return {"finished_in_attempt": job.attempts}

        @register_handler("hoard", "Hold memory for ever", queue="text")
        def hoard(job, progress):
            HOARD.append(bytes(200 * 1024**2).replace(b"\0", b"1"))
            return {}

        @register_handler("describe", "Describe the worker", queue="text", background=True)
        def describe(job, progress):
            """The queues to which a background job gives way in this process, and everything that it has loaded."""
            return {"queues": list(progress.queues), "loaded": sorted(sys.modules)}
