"""The first and the last draft of a run in one blind round, by one button on its page."""

import pytest
from django.contrib.auth.models import User

from evaluation.models import Round
from evaluation.services.rounds.design_check import check_design, parse_draft
from modelbridge.models import Run
from modelbridge.services.runs.run_progress import progress_of
from modelbridge.services.systems import systems
from tests.chat.stub import completion
from tests.refine.factories import CHAT, obey, refine_toml, words

pytestmark = [pytest.mark.django_db(transaction=True)]


@pytest.fixture
def refined(project, stub, start_run, work_off):
    """A run whose drafts of the sources 0 to 2 were changed; the one of source 3 is right at once."""
    stub.answer = lambda asked: completion(words(15)) if "Report 3." in str(asked) else obey(asked)
    revision = systems.register_system(project=project, toml_text=refine_toml("", CHAT), by=None)
    return work_off(start_run(revision))


def press_button(client, project, run):
    client.force_login(
        User.objects.filter(username="researcher").first() or User.objects.create_superuser("researcher")
    )
    return client.post(f"/p/{project.slug}/runs/{run.public_id}/draft-pairs/", follow=True)


def test_the_button_designs_a_round_of_pairs_that_can_be_checked(client, project, refined):
    answer = press_button(client, project, refined)

    round_ = Round.objects.get()
    drafts = Run.objects.exclude(pk=refined.pk).get()
    assert answer.redirect_chain[-1][0].endswith(f"/rounds/{round_.public_id}/")
    assert round_.form == "pair" and round_.state == "draft"
    result = check_design(project, parse_draft(round_))
    loaded = result.material.targets
    assert loaded["first-draft"].run == drafts and loaded["last-draft"].run == refined
    texts = dict(drafts.outputs.values_list("sample_id", "text"))
    assert set(texts.values()) == {words(30)}
    changed = refined.outputs.exclude(text=words(15)).values_list("sample_id", flat=True)
    assert set(texts) == set(changed), "what was not changed is compared with nothing"
    assert progress_of(drafts).done == len(texts)


def test_the_raters_see_neither_which_draft_it_is_nor_a_name_that_says_so(client, project, refined):
    press_button(client, project, refined)

    round_ = Round.objects.get()
    assert "draft" not in round_.shown_as.casefold()


def test_the_button_again_makes_another_design_over_the_same_drafts(client, project, refined):
    press_button(client, project, refined)
    press_button(client, project, refined)

    names = list(Round.objects.order_by("pk").values_list("name", flat=True))
    assert names == ["Refined: first and last draft", "Refined: first and last draft 2"]
    assert Run.objects.exclude(pk=refined.pk).count() == 1


def test_without_a_changed_draft_there_is_nothing_to_compare(client, project, stub, start_run, work_off):
    stub.answer = lambda asked: completion(words(30))
    revision = systems.register_system(project=project, toml_text=refine_toml("", CHAT), by=None)
    run = work_off(start_run(revision))

    answer = press_button(client, project, run)

    assert "No output differs from its first draft." in answer.content.decode()
    assert not Round.objects.exists() and Run.objects.count() == 1


def test_other_runs_have_no_such_button(client, project, start_run, work_off):
    run = work_off(start_run(systems.register_shipped(project=project, key="lead", by=None)))
    client.force_login(User.objects.create_superuser("researcher"))

    assert "draft-pairs" not in client.get(f"/p/{project.slug}/runs/{run.public_id}/").content.decode()
    assert "Only a finished run" in press_button(client, project, run).content.decode()
