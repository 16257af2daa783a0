"""Hugging Face's Trainer, with prefixes, two learning rates, crash-safe checkpoints and our selection criterion."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any

from modelbridge.systems.neural.encoding import pad_id
from modelbridge.systems.neural.libraries import import_library
from modelbridge.systems.protocol import Output
from modelbridge.training import folders
from modelbridge.training.data import DEV, TRAIN, Example
from modelbridge.training.methods import Trainee, collate_batch
from modelbridge.training.selection import SELECTION, DevLoss, DevScorer
from modelbridge.training.systems import system_in_training
from modelbridge.training.watching import Record, Watch, finite_values

LOGGED = {"loss": "loss", "grad_norm": "grad_norm", "learning_rate": "learning_rate", "epoch": "epoch"}


class Evaluation:
    """Scores the model on the dev samples, by the configured selection, and saves the best weights."""

    def __init__(self, trainee: Trainee, dev: Sequence[Example], folder: Path, watch: Watch, record: Record) -> None:
        self.trainee, self.dev, self.folder, self.watch, self.record = trainee, list(dev), folder, watch, record
        self.by_loss = trainee.config.optimisation.selection == "loss"
        self.scorer = DevScorer(self.dev) if self.dev and not self.by_loss else None
        self.loss = DevLoss(trainee, self.dev) if self.dev and self.by_loss else None
        self.last: tuple[int, dict[str, float]] = (-1, {})

    def run(self, step: int, mixed: Any) -> dict[str, float]:
        """The scores at this update; the weights are saved if they are the best so far. mixed: the autocast
        context. Without dev samples the newest weights count as the best."""
        if self.last[0] == step:
            return self.last[1]
        scores = self._scores(mixed)
        best = folders.best_of(self.folder)
        better = not best or SELECTION not in scores or scores[SELECTION] < best.get(SELECTION, float("inf"))
        if better:
            folders.replace_weights(self.folder, self.trainee.save, {"step": step, **scores})
        if scores:
            self.record.add(step, DEV, scores)
            self.watch.metrics(step, DEV, scores)
        self.last = (step, scores)
        return scores

    @property
    def evaluations_since_best(self) -> int:
        """Number of evaluations since the one with the best weights."""
        best = folders.best_of(self.folder).get("step", 0)
        return sum(row["split"] == DEV and row["step"] > best for row in self.record.rows())

    def _scores(self, mixed: Any) -> dict[str, float]:
        """By name, lower `selection` is better; {} without dev samples."""
        model = self.trainee.model
        if self.trainee.prefix is not None:
            self.trainee.prefix.remove_prefixes()
        model.train(False)
        try:
            with mixed:
                if self.loss is not None:
                    return self.loss.scores()
                summaries = [output.text for output in self._generate()] if self.scorer else []
        finally:
            model.train(True)
        return self.scorer.scores(summaries) if self.scorer else {}

    def _generate(self) -> list[Output]:
        return system_in_training(self.trainee).generate([example.request for example in self.dev])


def make_trainer(trainee: Trainee, rows: Sequence[Mapping[str, Any]], evaluation: Evaluation) -> Any:
    """A Trainer for these examples. Checkpoints are written to the evaluation's folder."""
    pad = pad_id(trainee.tokenizer)
    arguments = training_arguments(trainee, evaluation.folder)
    trainer = _trainer_class()(
        model=trainee.model,
        args=arguments,
        train_dataset=list(rows),
        eval_dataset=list(rows[:1]),
        data_collator=lambda batch: collate_batch(batch, pad),
        callbacks=[_callback_class()(evaluation)],
    )
    trainer.remove_callback(import_library("transformers").PrinterCallback)
    trainer.trainee, trainer.evaluation = trainee, evaluation
    return trainer


def training_arguments(trainee: Trainee, folder: Path) -> Any:
    """transformers' TrainingArguments for our configuration."""
    optimisation = trainee.config.optimisation
    arguments = import_library("transformers").TrainingArguments(
        output_dir=str(folder / folders.CHECKPOINTS),
        per_device_train_batch_size=optimisation.batch_size,
        gradient_accumulation_steps=optimisation.accumulation,
        num_train_epochs=optimisation.epochs,
        max_steps=optimisation.steps or -1,
        learning_rate=optimisation.learning_rate,
        lr_scheduler_type="linear" if optimisation.schedule == "linear" else "constant_with_warmup",
        warmup_steps=optimisation.warmup_steps,
        max_grad_norm=optimisation.max_grad_norm,
        label_smoothing_factor=optimisation.label_smoothing,
        bf16=mixed_precision(trainee),
        eval_strategy="steps",
        eval_steps=optimisation.evaluate_every,
        save_strategy="steps",
        save_steps=optimisation.evaluate_every,
        save_total_limit=optimisation.checkpoints,
        logging_strategy="steps",
        logging_steps=optimisation.log_every,
        logging_first_step=True,
        seed=trainee.config.seed,
        data_seed=trainee.config.seed,
        use_cpu=trainee.device.type == "cpu",
        remove_unused_columns=False,
        dataloader_pin_memory=trainee.device.type == "cuda",
        report_to="none",
        disable_tqdm=True,
    )
    if optimisation.gradient_checkpointing:
        trainee.model.gradient_checkpointing_enable()
    arguments._n_gpu = min(1, arguments.n_gpu)  # prefixes belong to one copy of the model; several would race on them
    return arguments


def mixed_precision(trainee: Trainee) -> bool:
    """Whether to compute in bfloat16: configured, or `auto` on a GPU that supports it. Weights stay in float32."""
    torch = import_library("torch")
    precision = trainee.config.optimisation.precision
    able = trainee.device.type == "cuda" and torch.cuda.is_bf16_supported()
    return precision == "bfloat16" or (precision == "auto" and able)


@cache
def _trainer_class() -> Any:
    """Created on first use, so that importing this module does not need torch."""
    torch, transformers = import_library("torch"), import_library("transformers")

    class ControlTrainer(transformers.Trainer):  # type: ignore[misc, name-defined]
        optimizer: Any
        trainee: Trainee
        evaluation: Evaluation

        def compute_loss(self, model: Any, inputs: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
            chosen = inputs.pop("prefix_ids", None)
            if chosen is not None and self.trainee.prefix is not None:
                self.trainee.prefix.put(chosen)
            return super().compute_loss(model, inputs, *args, **kwargs)

        def create_optimizer(self, *args: Any, **kwargs: Any) -> Any:
            if self.optimizer is None:
                self.optimizer = torch.optim.AdamW(self.trainee.groups())
            return self.optimizer

        def evaluate(self, *args: Any, **kwargs: Any) -> dict[str, float]:
            device = self.trainee.device.type
            mixed = torch.autocast(device, torch.bfloat16) if mixed_precision(self.trainee) else nullcontext()
            scores = self.evaluation.run(self.state.global_step, mixed)
            patience = self.trainee.config.optimisation.patience
            if patience and self.evaluation.evaluations_since_best >= patience:
                self.control.should_training_stop = True
            return {f"eval_{name}": value for name, value in scores.items()}

        def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
            self.trainee.save(Path(output_dir or self.args.output_dir))

        def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Any = None) -> None:
            self.trainee.read(Path(resume_from_checkpoint))

        def _save_checkpoint(self, model: Any, trial: Any) -> None:
            super()._save_checkpoint(model, trial)
            checkpoint = Path(self.args.output_dir) / f"checkpoint-{self.state.global_step}"
            folders.mark_whole(checkpoint)

    return ControlTrainer


@cache
def _callback_class() -> Any:
    transformers = import_library("transformers")

    class Telling(transformers.TrainerCallback):  # type: ignore[misc, name-defined]
        """Reports losses and progress, and checks between updates whether to stop."""

        def __init__(self, evaluation: Evaluation) -> None:
            self.watch, self.record = evaluation.watch, evaluation.record

        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            self.watch.progress(state.global_step, state.max_steps)
            self.watch.check()

        def on_log(self, args: Any, state: Any, control: Any, logs: Mapping[str, Any], **kwargs: Any) -> None:
            values = finite_values(logs, LOGGED)
            if "loss" in values:
                self.record.add(state.global_step, TRAIN, values)
                self.watch.metrics(state.global_step, TRAIN, values)

    return Telling
