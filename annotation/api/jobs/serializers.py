"""Serializers of jobs. Unknown fields are refused, so that a typing mistake is reported."""

from typing import Any

from rest_framework import serializers
from rest_framework.reverse import reverse

from annotation.models import Job, JobState, Project


class JobStarted(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    status_url = serializers.CharField()


class JobOut(serializers.ModelSerializer[Job]):
    """A job in a list."""

    id = serializers.UUIDField(source="public_id")
    project = serializers.SlugRelatedField[Project](slug_field="slug", read_only=True)

    class Meta:
        model = Job
        fields = [
            "id",
            "kind",
            "project",
            "state",
            "attempts",
            "max_attempts",
            "progress_done",
            "progress_total",
            "progress_note",
            "error",
            "created_at",
            "started_at",
            "finished_at",
        ]


class JobDetailOut(JobOut):
    """A job with what it brought and the first 100 faults of its input."""

    result = serializers.SerializerMethodField()
    faults = serializers.ListField(child=serializers.DictField(), help_text="each with its place, field and value")
    download_url = serializers.SerializerMethodField()

    class Meta(JobOut.Meta):
        fields = [*JobOut.Meta.fields, "result", "faults", "download_url"]

    def get_result(self, row: Job) -> dict[str, Any]:
        """What it made, apart from the contents of statistics, which have a call of their own."""
        return {key: value for key, value in row.result.items() if key != "views"}

    def get_download_url(self, row: Job) -> str | None:
        if not stored_file(row):
            return None
        return reverse("api-job-download", kwargs={"public_id": row.public_id}, request=self.context.get("request"))


def stored_file(job: Job) -> str:
    """The storage name of a finished export's file; empty where there is nothing to download."""
    if not job.is_export or job.state != JobState.DONE:
        return ""
    return str(job.result.get("file") or "")
