"""Which device a model is put on, and how torch is set up for it."""

import pytest

from epitome.systems.neural.libraries import pick_device
from epitome.systems.protocol import SystemFault

pytestmark = pytest.mark.models


@pytest.fixture
def planned_attention():
    """Whether cuDNN's attention is on: as torch has it by itself at first, and as it was afterwards."""
    import torch

    was = torch.backends.cuda.cudnn_sdp_enabled()
    torch.backends.cuda.enable_cudnn_sdp(True)
    yield torch.backends.cuda.cudnn_sdp_enabled
    torch.backends.cuda.enable_cudnn_sdp(was)


def test_on_a_gpu_no_attention_is_planned_anew_for_each_length(monkeypatch, planned_attention):
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    assert pick_device("cpu").type == "cpu"
    assert planned_attention()
    assert pick_device("auto").type == "cuda"
    assert not planned_attention()


def test_a_device_that_the_machine_lacks_is_named(monkeypatch, planned_attention):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert pick_device("auto").type == "cpu"
    with pytest.raises(SystemFault, match='device = "cuda:1"'):
        pick_device("cuda:1")
    assert planned_attention()
