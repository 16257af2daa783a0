"""Hugging Face's Trainer, with prefixes, two learning rates, crash-safe checkpoints and our selection criterion."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from epitome.systems.neural.encoding import pad_id
from epitome.systems.neural.libraries import import_library
from epitome.systems.protocol import SystemFault
from epitome.training import folders, processes
from epitome.training.config import TrainingConfig
from epitome.training.data import DEV, TRAIN, Example, pick_evenly
from epitome.training.focus_judge import FocusJudge
from epitome.training.fusion import fusion_callbacks
from epitome.training.methods import Trainee, collate_batch
from epitome.training.precision import autocast_context, compute_precision
from epitome.training.ranking_data import RankedExample
from epitome.training.ranking_methods import DevRanker
from epitome.training.selection import DevLoss, DevScorer
from epitome.training.systems import system_in_training
from epitome.training.token_batches import TokenBatches, count_updates, count_warmup
from epitome.training.watching import SELECTION, DevText, Record, TextRecord, Watch, finite_values

LOGGED = {"loss": "loss", "grad_norm": "grad_norm", "learning_rate": "learning_rate", "epoch": "epoch"}


class Evaluation:
    """Scores the model on the dev samples, by the configured selection, and saves the best weights."""

    def __init__(
        self,
        trainee: Trainee,
        dev: Sequence[Example] | Sequence[RankedExample],
        folder: Path,
        watch: Watch,
        record: Record,
    ) -> None:
        self.trainee, self.folder, self.watch, self.record = trainee, folder, watch, record
        self.dev = [example for example in dev if isinstance(example, Example)]
        lists = [example for example in dev if isinstance(example, RankedExample)]
        by_loss = trainee.config.optimisation.selection == "loss"
        judge = FocusJudge(trainee.config.judge) if trainee.config.judge is not None and not by_loss else None
        self.scorer = DevScorer(self.dev, judge) if self.dev and not by_loss else None
        self.without_texts: DevLoss | DevRanker | None = DevRanker(trainee, lists) if lists else None
        if self.dev and by_loss:
            self.without_texts = DevLoss(trainee, self.dev)
        self.text_record = TextRecord(folder)
        n_shown = trainee.config.data.shown_samples
        self.shown = pick_evenly([*range(len(self.dev))], n_shown) if n_shown else []
        self.last: tuple[int, dict[str, float]] = (-1, {})

    def run(self, step: int, mixed: Any) -> dict[str, float]:
        """The scores at this update; the weights are saved if they are the best so far. mixed: the autocast
        context. Without dev samples the newest weights count as the best."""
        if self.last[0] == step:
            return self.last[1]
        if recorded := self._recorded_scores(step):
            return recorded
        scores, texts = self._scores(mixed)
        if texts:
            self.text_record.add_texts(step, texts)
            self.watch.texts(step, texts)
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

    @property
    def is_patience_over(self) -> bool:
        """Whether this many evaluations did not bring better weights that the training stops."""
        patience = self.trainee.config.optimisation.patience
        return bool(patience and self.evaluations_since_best >= patience)

    def _recorded_scores(self, step: int) -> dict[str, float]:
        """Those of an update that was evaluated before the training was killed; {} of others."""
        rows = (row for row in self.record.rows() if row["split"] == DEV and row["step"] == step)
        return {name: score for row in rows for name, score in row.items() if name not in ("step", "split")}

    def _scores(self, mixed: Any) -> tuple[dict[str, float], list[DevText]]:
        """(scores by name, {} without dev samples, lower `selection` is better; what the shown samples got)."""
        model = self.trainee.model
        if self.trainee.prefix is not None:
            self.trainee.prefix.remove_prefixes()
        model.train(False)
        try:
            with mixed:
                if self.without_texts is not None:
                    scores = self.without_texts.scores()
                    return scores, self._texts(self._generate([self.dev[index] for index in self.shown]))
                summaries = self._generate(self.dev) if self.scorer else []
        finally:
            model.train(True)
        if self.scorer is None:
            return {}, []
        return self.scorer.scores(summaries), self._texts([summaries[index] for index in self.shown])

    def _texts(self, summaries: Sequence[str]) -> list[DevText]:
        examples = [self.dev[index] for index in self.shown]
        return [
            DevText(example.request.id, dict(example.request.values), summary, example.summary)
            for example, summary in zip(examples, summaries, strict=True)
        ]

    def _generate(self, examples: Sequence[Example]) -> list[str]:
        if not examples:
            return []
        outputs = system_in_training(self.trainee).generate([example.request for example in examples])
        return [output.text for output in outputs]


def make_trainer(trainee: Trainee, rows: Sequence[Mapping[str, Any]], evaluation: Evaluation) -> Any:
    """A Trainer for these examples. Checkpoints are written to the evaluation's folder."""
    pad = pad_id(trainee.tokenizer)
    arguments = training_arguments(trainee, evaluation.folder, rows)
    trainer = _trainer_class()(
        model=trainee.model,
        args=arguments,
        train_dataset=list(rows),
        eval_dataset=list(rows[:1]),
        data_collator=lambda batch: collate_batch(batch, pad),
        callbacks=[_callback_class()(evaluation), *fusion_callbacks(trainee)],
    )
    trainer.remove_callback(import_library("transformers").PrinterCallback)
    trainer.trainee, trainer.evaluation = trainee, evaluation
    return trainer


def _describe_schedule(trainee: Trainee, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """How the learning rate changes, and after how many updates the model is evaluated and saved."""
    optimisation = trainee.config.optimisation
    names = {"linear": "linear", "constant": "constant_with_warmup", "polynomial": "polynomial"}
    often = optimisation.evaluate_every or count_updates(rows, optimisation)
    is_power = optimisation.schedule == "polynomial"
    return {
        "lr_scheduler_type": names[optimisation.schedule],
        "lr_scheduler_kwargs": {"lr_end": 0.0, "power": optimisation.power} if is_power else {},
        "warmup_steps": count_warmup(rows, optimisation),
        "eval_steps": often,
        "save_steps": often,
    }


def training_arguments(trainee: Trainee, folder: Path, rows: Sequence[Mapping[str, Any]]) -> Any:
    """transformers' TrainingArguments for our configuration."""
    optimisation, precision = trainee.config.optimisation, compute_precision(trainee)
    arguments = import_library("transformers").TrainingArguments(
        output_dir=str(folder / folders.CHECKPOINTS),
        per_device_train_batch_size=optimisation.batch_size,
        gradient_accumulation_steps=processes.share_accumulation(optimisation.accumulation),
        num_train_epochs=optimisation.epochs,
        max_steps=optimisation.steps or -1,
        learning_rate=optimisation.learning_rate,
        **_describe_schedule(trainee, rows),
        max_grad_norm=optimisation.max_grad_norm,
        label_smoothing_factor=optimisation.label_smoothing,
        bf16=precision == "bfloat16",
        fp16=precision == "float16",
        eval_strategy="steps",
        save_strategy="steps",
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
        ddp_timeout=round(processes.PATIENCE.total_seconds()),
        ddp_find_unused_parameters=False,
    )
    if optimisation.gradient_checkpointing:
        trainee.model.gradient_checkpointing_enable()
    arguments._n_gpu = min(1, arguments.n_gpu)  # prefixes belong to one copy of the model; several would race on them
    return arguments


def _add_decoder_inputs(trainee: Trainee, inputs: dict[str, Any]) -> None:
    """With label smoothing the Trainer keeps the labels to itself: the model would shift its input instead of them."""
    if trainee.family == "seq2seq":
        shift = trainee.model.prepare_decoder_input_ids_from_labels
        inputs["decoder_input_ids"] = shift(labels=inputs["labels"])


def _token_batch_loader(config: TrainingConfig, rows: Any, collate: Any) -> Any:
    """A DataLoader of batches by tokens. Raises SystemFault for several processes."""
    if processes.process_count() > 1:
        raise SystemFault("batch_tokens makes batches of different sizes, which several processes cannot share")
    batches = TokenBatches(rows, config.optimisation, config.seed)
    return import_library("torch").utils.data.DataLoader(rows, batch_sampler=batches, collate_fn=collate)


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
            if self.label_smoother is not None:
                _add_decoder_inputs(self.trainee, inputs)
            return super().compute_loss(model, inputs, *args, **kwargs)

        def create_optimizer(self, *args: Any, **kwargs: Any) -> Any:
            if self.optimizer is None:
                optimisation = self.trainee.config.optimisation
                self.optimizer = torch.optim.AdamW(
                    self.trainee.groups(), betas=optimisation.betas, eps=optimisation.epsilon
                )
            return self.optimizer

        def get_train_dataloader(self) -> Any:
            if not self.trainee.config.optimisation.batch_tokens:
                return super().get_train_dataloader()
            loader = _token_batch_loader(self.trainee.config, self.train_dataset, self.data_collator)
            return self.accelerator.prepare(loader)

        def evaluate(self, *args: Any, **kwargs: Any) -> dict[str, float]:
            scores, is_over = processes.share_from_first(self._score_dev() if processes.is_first() else ({}, False))
            if is_over:
                self.control.should_training_stop = True
            return {f"eval_{name}": value for name, value in scores.items()}

        def _score_dev(self) -> tuple[dict[str, float], bool]:
            """(scores, whether the patience is used up)."""
            scores = self.evaluation.run(self.state.global_step, autocast_context(self.trainee))
            return scores, self.evaluation.is_patience_over

        def save_model(self, output_dir: str | None = None, **_kwargs: Any) -> None:
            if self.args.should_save:
                self.trainee.save(Path(output_dir or self.args.output_dir))

        def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Any = None) -> None:
            self.trainee.read(Path(resume_from_checkpoint))

    return ControlTrainer


@cache
def _callback_class() -> Any:
    transformers = import_library("transformers")

    class TrainingReporter(transformers.TrainerCallback):  # type: ignore[misc, name-defined]
        """Reports losses and progress, and checks between updates whether to stop."""

        def __init__(self, evaluation: Evaluation) -> None:
            self.watch, self.record = evaluation.watch, evaluation.record

        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            if not processes.is_first():
                return
            self.watch.progress(state.global_step, state.max_steps)
            self.watch.check()

        def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            """Mark the checkpoint that all processes have just written as complete."""
            processes.wait_for_all()
            if processes.is_first():
                folders.mark_whole(Path(args.output_dir) / f"checkpoint-{state.global_step}")

        def on_log(self, args: Any, state: Any, control: Any, logs: Mapping[str, Any], **kwargs: Any) -> None:
            values = finite_values(logs, LOGGED)
            if "loss" in values and processes.is_first():
                self.record.add(state.global_step, TRAIN, values)
                self.watch.metrics(state.global_step, TRAIN, values)

    return TrainingReporter
