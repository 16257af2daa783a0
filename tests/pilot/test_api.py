"""The pilot by the API: set up, written, compared, decided."""

import pytest

from annotation.models import PilotCandidate, Role, Sample
from tests.pilot.factories import REASON, with_pilot, write_pilot
from tests.tasks.conftest import Caller
from tests.tasks.factories import make_people

pytestmark = pytest.mark.django_db


def test_a_pilot_from_its_samples_to_the_first_task():
    project, (first, _second), admin = with_pilot(samples=0, on=False)
    staff, writer = Caller(admin), Caller(first)
    sample = Sample.objects.filter(project=project).order_by("pk")[0]
    added = staff("POST", "projects/news/pilot/samples/", {"sample": str(sample.public_id)})
    assert added.status_code == 201
    assert staff("PATCH", "projects/news/pilot/", {"on": True}).data_out["on"] is True
    assert staff("POST", "projects/news/pilot/candidates/", {}).data_out == {"invited": 2}
    claimed = writer.claim()
    assert (claimed.status_code, claimed.data_out["pilot"]) == (201, True)
    assert claimed.data_out["project"]["slug"] == "news"
    project.refresh_from_db()
    write_pilot(project, first)
    again = writer.claim()
    assert (again.status_code, again.headers["X-Reason"]) == (204, "pilot_waiting")
    compared = staff("GET", f"pilot-samples/{added.data_out['id']}/").data_out
    assert compared["answers"][0]["answer"]["checks"]["words"] == 9
    waiting = staff("GET", "projects/news/pilot/candidates/?state=submitted").data_out
    assert [row["username"] for row in waiting] == [first.username]
    decided = staff(
        "POST", f"pilot-candidates/{waiting[0]['id']}/decision/", {"verdict": "qualified", "reason": REASON}
    )
    assert decided.data_out["decisions"][0]["reason"] == REASON
    task = writer.claim()
    assert (task.status_code, task.data_out["pilot"]) == (201, False)


def test_reviewers_get_pseudonyms_only():
    project, (first, _second), _admin = with_pilot()
    write_pilot(project, first)
    reviewer = Caller(make_people(1, project, Role.REVIEWER)[0])
    (row,) = reviewer("GET", "projects/news/pilot/candidates/").data_out
    assert row["username"] is None and len(row["annotator"]) == 12
    pilot_candidate = PilotCandidate.objects.get()
    path = f"pilot-candidates/{pilot_candidate.public_id}/decision/"
    assert reviewer("POST", path, {"verdict": "qualified", "reason": REASON}).status_code == 404


def test_a_second_decision_is_a_conflict():
    project, (first, _second), admin = with_pilot()
    write_pilot(project, first)
    path = f"pilot-candidates/{PilotCandidate.objects.get().public_id}/"
    staff = Caller(admin)
    assert staff("POST", f"{path}decision/", {"verdict": "rejected", "reason": REASON}).status_code == 200
    second = staff("POST", f"{path}decision/", {"verdict": "qualified", "reason": REASON})
    assert (second.status_code, second.data_out["code"]) == (409, "decided")
    assert staff("POST", f"{path}reopening/", {"reason": "Mixed up."}).data_out["state"] == "submitted"
