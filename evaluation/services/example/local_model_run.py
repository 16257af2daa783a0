"""The finished example's run of the small language model, where it is installed and served (`make demo MODEL=1`)."""

from django.conf import settings
from django.contrib.auth.models import User

from annotation.models import Project
from epitome.systems import local_model
from modelbridge.models import Run
from modelbridge.services.runs import runs
from modelbridge.services.systems import systems

KEY = "smollm2-chat"


def is_served() -> bool:
    return local_model.SERVER in settings.EPITOME_CHAT_SERVERS and local_model.is_installed()


def is_queued(project: Project) -> bool:
    return Run.objects.filter(project=project, revision__system__key=KEY).exists()


def queue_run(project: Project) -> None:
    """Queue the run over all samples of the project; the worker needs some seconds for each."""
    researcher = User.objects.get(username="researcher")
    revision = systems.register_shipped(project=project, key=KEY, by=researcher)
    runs.start_run(project=project, revision=revision, by=researcher)
