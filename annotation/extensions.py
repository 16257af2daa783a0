"""Modules that register job handlers, sweepers and other extensions; see annotation.extension_points."""

from annotation.services import statistics  # noqa: F401
from annotation.services.aggregations import extraction, instance_subject  # noqa: F401
from annotation.services.contrastives import importing as contrastives_importing  # noqa: F401
from annotation.services.contrastives import making as contrastives_making  # noqa: F401
from annotation.services.contrastives import withdrawing as contrastives_withdrawing  # noqa: F401
from annotation.services.crowd_studies import study_jobs  # noqa: F401
from annotation.services.exports import exporting  # noqa: F401
from annotation.services.inspection import weekly_sample  # noqa: F401
from annotation.services.overlap import extra_texts  # noqa: F401
from annotation.services.publications import publication_jobs  # noqa: F401
from annotation.services.restore import restoring  # noqa: F401
from annotation.services.sampling import draw  # noqa: F401
from annotation.services.scores import score_jobs, token_counts  # noqa: F401
from annotation.services.sources import candidates, importing  # noqa: F401
from annotation.services.staff import counts_cache, skipped_samples  # noqa: F401
from annotation.services.statistics import due  # noqa: F401
from annotation.services.tasks import leases, live_meters  # noqa: F401
from annotation.services.webhooks import deliveries  # noqa: F401
