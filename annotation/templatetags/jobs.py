"""Template tags of jobs."""

from typing import Any

from django import template

from annotation.models import Job
from annotation.services.core.job_outlook import JobOutlook, describe_outlook

register = template.Library()


@register.simple_tag
def outlook_of(row: Any) -> JobOutlook | None:
    """When a job ends and how to cancel it; None for what is no job, such as a run, which has buttons of its own."""
    return describe_outlook(row) if isinstance(row, Job) else None
