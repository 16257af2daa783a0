"""The two steps of an import as a browser without scripts takes them."""

import json
import re

from django.core.files.uploadedfile import SimpleUploadedFile

from annotation import jobs
from annotation.models import Job


def upload(*rows, name: str = "sources.jsonl") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, "".join(json.dumps(row) + "\n" for row in rows).encode())


def shown(answer) -> str:
    """The page's text without tags, blanks as one."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def run_last(project) -> Job:
    job = project.jobs.exclude(kind="count_tokens").order_by("-id")[0]
    jobs.run_job(job.pk)
    job.refresh_from_db()
    return job


def send_files(client, slug: str, *files: SimpleUploadedFile, **fields: str) -> str:
    """The address of the second step."""
    answer = client.post(f"/p/{slug}/import/", {"file": list(files), **fields})
    assert answer.status_code == 302, shown(answer)
    return answer.headers["Location"]


def import_through_pages(client, slug: str, *files: SimpleUploadedFile, **choices: str) -> str:
    """Both steps with the columns as they are matched; the address of the result."""
    answer = client.post(send_files(client, slug, *files), {"permission": "none", **choices})
    assert answer.status_code == 302, shown(answer)
    return answer.headers["Location"]
