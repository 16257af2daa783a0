"""The `[optimisation]` of a training: rates, batches, schedule, number formats, and which weights are the best."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from epitome.schema.tables import Table
from epitome.systems.neural.quantized import QUANTIZED

Selection = Literal["cer-rouge", "loss", "map"]
SELECTIONS = ("cer-rouge", "loss", "map")
SCHEDULES = ("linear", "constant", "polynomial")
PRECISIONS = ("auto", "bfloat16", "float16", "float32")
WEIGHTS_DTYPES = ("float32", "bfloat16", *QUANTIZED)


@dataclass(frozen=True)
class Optimisation:
    """learning_rate, weight_decay: of the model (or its adapters). prefix_...: of soft prefixes. steps:
    maximum updates; 0: limited by epochs only. evaluate_every: updates between evaluations and checkpoints. patience:
    evaluations without improvement until training stops; 0: never. selection: which weights are the best, see
    epitome.training.selection. precision: `auto` is bfloat16 if the device supports it.
    weights_dtype: of a model that stays as it is. batch_tokens: padded tokens per batch, which then holds up to
    batch_size examples of about one length; 0: always batch_size examples. evaluate_every 0: after every epoch.
    warmup_share: of all updates, instead of warmup_steps. power: of the polynomial schedule, 1 is a straight line.
    betas, epsilon: of AdamW. dropout, attention_dropout: instead of the model's own; None: as the model has it."""

    learning_rate: float = 3e-5
    prefix_learning_rate: float = 3e-5
    weight_decay: float = 0.0
    prefix_weight_decay: float = 0.0
    warmup_steps: int = 500
    warmup_share: float = 0.0
    schedule: Literal["linear", "constant", "polynomial"] = "linear"
    power: float = 1.0
    betas: tuple[float, float] = (0.9, 0.999)
    epsilon: float = 1e-8
    batch_tokens: int = 0
    dropout: float | None = None
    attention_dropout: float | None = None
    batch_size: int = 6
    accumulation: int = 4
    epochs: int = 300
    steps: int = 0
    evaluate_every: int = 150
    log_every: int = 10
    patience: int = 0
    selection: Selection = "cer-rouge"
    checkpoints: int = 2
    max_grad_norm: float = 1.0
    label_smoothing: float = 0.0
    precision: str = "auto"
    weights_dtype: str = "float32"
    gradient_checkpointing: bool = False
    device: str = "auto"


def read_optimisation(top: Table, method: str, *, ranks: bool, is_frozen: bool) -> Optimisation:
    """ranks: whether the method learns from ranking lists. is_frozen: whether the model's own weights stay as they are.
    Raises SchemaError."""
    table = top.table("optimisation", Optimisation.__dataclass_fields__)
    usual = Optimisation(selection="map") if ranks else Optimisation()
    rates: Mapping[str, float] = {
        "learning_rate": 10, "prefix_learning_rate": 10, "weight_decay": 1, "prefix_weight_decay": 1,
        "max_grad_norm": 1e6, "label_smoothing": 0.99, "warmup_share": 1, "power": 10, "epsilon": 1,
    }  # fmt: skip
    counts: Mapping[str, tuple[int, int]] = {
        "warmup_steps": (0, 10**7), "batch_size": (1, 4096), "accumulation": (1, 4096), "epochs": (1, 100_000),
        "steps": (0, 10**8), "evaluate_every": (0, 10**7), "log_every": (1, 10**6), "patience": (0, 10_000),
        "checkpoints": (1, 100), "batch_tokens": (0, 10**7),
    }  # fmt: skip
    schedule: Any = table.choice("schedule", SCHEDULES, usual.schedule)
    selection: Any = table.choice("selection", SELECTIONS, usual.selection)
    if (selection == "map") != ranks:
        table.fail("selection", "is map for the methods that learn from ranking lists, and for these alone")
    numbers: dict[str, Any] = _read_dropouts(table) | {
        name: table.number(name, getattr(usual, name), most=high) for name, high in rates.items()
    }
    numbers |= {
        name: table.whole(name, getattr(usual, name), least=low, most=high) for name, (low, high) in counts.items()
    }
    return Optimisation(
        schedule=schedule,
        selection=selection,
        precision=table.choice("precision", PRECISIONS, usual.precision),
        weights_dtype=_read_weights_dtype(table, method, is_frozen),
        gradient_checkpointing=table.flag("gradient_checkpointing", False),
        device=table.word("device", r"auto|cpu|cuda(:\d{1,2})?", '"auto", "cpu" or "cuda"', "auto"),
        betas=_read_betas(table, usual.betas),
        **numbers,
    )


def _read_weights_dtype(table: Table, method: str, is_frozen: bool) -> str:
    """Only weights that stay as they are may be coarse: small updates would be lost in them."""
    dtype: str = table.choice("weights_dtype", WEIGHTS_DTYPES, "float32")
    if dtype != "float32" and not is_frozen:
        table.fail("weights_dtype", f"must be float32 with the method {method}, which trains the model's own weights")
    return dtype


def _read_betas(table: Table, usual: tuple[float, float]) -> tuple[float, float]:
    betas = table.items("betas", list(usual), most=2)
    if len(betas) != 2 or not all(isinstance(beta, int | float) and 0 <= beta < 1 for beta in betas):
        table.fail("betas", "must be two numbers from 0 to below 1")
    return float(betas[0]), float(betas[1])


def _read_dropouts(table: Table) -> dict[str, Any]:
    """Those that are given; the others stay the model's own."""
    return {name: table.number(name, most=0.99) for name in ("dropout", "attention_dropout") if name in table.data}
