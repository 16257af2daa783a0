"""A grid of trainings: every combination once, dev curves side by side, the best one named."""

import json

import pytest

from epitome.training.config import parse_training
from epitome.training.grid_cells import BadGrid, GridCell, parse_grid
from epitome.training.grids import TrainedCell, build_curves, choose_winner, train_grid
from epitome.training.run import TrainingResult
from epitome.training.variants import change_settings
from epitome.training.watching import NullWatch
from tests.models import tiny
from tests.models.training_text import training_text


def test_a_grid_has_every_combination_each_with_a_key_of_its_own():
    cells = parse_grid(["learning_rate=1e-5,3e-5", "prompt.max_source_tokens=64,128"], "hp-macdoc")
    assert [cell.changes for cell in cells] == [
        {"optimisation.learning_rate": rate, "prompt.max_source_tokens": limit}
        for rate in (1e-5, 3e-5)
        for limit in (64, 128)
    ]
    assert cells[0].key == "hp-macdoc-learning-rate-1e-05-max-source-tokens-64"
    assert len({cell.key for cell in cells}) == 4


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["learning_rate"], "is not SETTING=VALUE,VALUE"),
        (["learning_rate=1e-5,1e-5"], "has a value twice"),
        (["learning_rate=1", "optimisation.learning_rate=2"], "named twice"),
        (["selection=loss,cer-rouge"], "cannot vary"),
        (["steps=" + ",".join(map(str, range(1, 200)))], "has 199 cells"),
    ],
)
def test_a_grid_that_cannot_be_trained_says_why(texts, message):
    with pytest.raises(BadGrid, match=message):
        parse_grid(texts, "hp")


def test_a_changed_configuration_differs_in_these_settings_alone(tmp_path):
    for name in ("train.json", "dev.json"):
        tiny.write(tmp_path / name, 3, 1)
    text = training_text("hp")
    changed = change_settings(text, {"optimisation.learning_rate": 1e-5, "training.seed": 7})
    state_before, state_after = (parse_training(item, "tiny.toml", tmp_path) for item in (text, changed))
    assert (state_after.optimisation.learning_rate, state_after.seed) == (1e-5, 7)
    assert state_before.prompt == state_after.prompt
    assert state_before.decoding == state_after.decoding
    assert change_settings(text, {}) == text


def test_curves_stand_side_by_side_and_the_lowest_wins(tmp_path):
    trained = [
        TrainedCell(
            GridCell(f"hp-{rate}", {"optimisation.learning_rate": rate}),
            TrainingResult(tmp_path, "", {"step": 20, "selection": best}, {}),
            curve,
        )
        for rate, best, curve in ((1e-5, 0.5, ((10, 0.6), (20, 0.5))), (3e-5, 0.4, ((20, 0.4),)))
    ]
    table = build_curves(trained)
    assert [column.label for column in table.columns] == ["Update", "learning_rate 1e-05", "learning_rate 3e-05"]
    assert [[cell.value for cell in row] for row in table.rows] == [[10, 0.6, None], [20, 0.5, 0.4]]
    assert choose_winner(trained).cell.key == "hp-3e-05"
    assert "Best: hp-3e-05, 0.4000 after update 20" in table.notes[0]


@pytest.mark.models
def test_a_grid_is_trained_and_says_the_winner(tmp_path):
    tiny.write(tmp_path / "train.json", 24, 1)
    tiny.write(tmp_path / "dev.json", 4, 2)
    text = training_text("hp", steps=4, evaluate_every=2, batch_size=4, selection='"loss"')
    cells = parse_grid(["learning_rate=1e-2,1e-9"], "tiny")

    def train():
        return train_grid(
            text, cells, tmp_path / "grid", lambda one, name: parse_training(one, name, tmp_path), lambda _: NullWatch()
        )

    trained = train()
    assert [[step for step, _score in entry.curve] for entry in trained] == [[2, 4], [2, 4]]
    assert choose_winner(trained).cell.key == "tiny-learning-rate-0-01"
    stored = json.loads((tmp_path / "grid/grid.json").read_text())
    assert stored["winner"] == "tiny-learning-rate-0-01"
    assert [cell["changes"] for cell in stored["cells"]] == [cell.changes for cell in cells]
    assert [entry.result.best for entry in train()] == [entry.result.best for entry in trained]
