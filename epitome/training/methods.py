"""What each method trains (all weights, prefixes, both, or adapters) and how it is stored."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epitome.systems.neural import bottleneck
from epitome.systems.neural.bottleneck import AdapterStack
from epitome.systems.neural.decoder_prompts import (
    ADAPTER_NOTE,
    PlainPrompts,
    PromptStyle,
    make_prompts,
    template_of_adapters,
)
from epitome.systems.neural.encoding import encode_texts, position_limit
from epitome.systems.neural.libraries import import_library, import_peft, pick_device
from epitome.systems.neural.loading import Family, family_of, load_model, load_quantized, load_tokenizer
from epitome.systems.neural.prefixes import (
    FILE,
    PrefixShape,
    SoftPrefix,
    is_prefix_weight,
)
from epitome.systems.neural.prompts import prompt_text
from epitome.systems.neural.quantized import QUANTIZED
from epitome.systems.neural.weights import find_file, find_weights, weights_hash
from epitome.systems.protocol import SystemFault
from epitome.systems.ranking.classifier import GOLD
from epitome.training import processes
from epitome.training.config import TrainingConfig
from epitome.training.data import Example
from epitome.training.folders import write_json

IGNORED = -100
MODEL_FILE = "model.safetensors"
ADAPTER_FILE = "adapter_model.safetensors"
SINGLE_ADAPTER = "single"
"""The name of the bottleneck adapter of a training of one."""
CLASSES = {1 - GOLD: "other", GOLD: "gold"}
CLASS_IDS = {name: number for number, name in CLASSES.items()}


@dataclass
class Trainee:
    """The model being trained. base: the folder of its initial weights. prefix: with SP and HP+SP.
    stack: bottleneck adapters, with adapter and adapter-fusion."""

    config: TrainingConfig
    model: Any
    tokenizer: Any
    family: Family
    base: Path
    base_hash: str
    device: Any
    prefix: SoftPrefix | None = None
    stack: AdapterStack | None = None

    def applied_prefixes(self, ids: Any) -> AbstractContextManager[None]:
        """The prefixes of these rows (see SoftPrefix.put) inside the block; nothing where there are none."""
        return nullcontext() if self.prefix is None else self.prefix.applied_prefixes(ids)

    def save(self, folder: Path) -> None:
        """Write what training changes: the whole model, the prefixes, both, or the adapter."""
        folder.mkdir(parents=True, exist_ok=True)
        if self.config.method == "lora":
            self.model.save_pretrained(folder)
            if self.family == "causal":
                write_json(folder / ADAPTER_NOTE, {"template": self.prompts.template})
            return
        if self.stack is not None:
            self.stack.save(folder)
        if self.config.trains_model:
            state = {name: value for name, value in self.model.state_dict().items() if not is_prefix_weight(name)}
            self.model.save_pretrained(folder, state_dict=state, max_shard_size="1000GB")
            self.tokenizer.save_pretrained(folder)
        if self.prefix is not None:
            self.prefix.save(folder)

    def read(self, folder: Path) -> None:
        """Load what `save` wrote. Raises SystemFault."""
        tensors = import_library("safetensors.torch")
        if self.config.method == "lora":
            peft = import_peft()
            peft.set_peft_model_state_dict(self.model, tensors.load_file(str(folder / ADAPTER_FILE)))
            return
        if self.stack is not None:
            self.stack.read(folder / bottleneck.FILE)
        if self.config.trains_model:
            missing, unknown = tensors.load_model(self.model, str(folder / MODEL_FILE), strict=False)
            lacking = [name for name in missing if not is_prefix_weight(name)]
            if lacking or unknown:
                raise SystemFault(f"{folder}: the checkpoint is of another model ({(lacking or unknown)[0]})")
        if self.prefix is not None:
            self.prefix.read(folder / FILE)

    def groups(self) -> list[dict[str, Any]]:
        """Parameter groups of the optimizer: model weights, norms and biases (without decay), prefixes."""
        optimisation = self.config.optimisation
        decayed, plain, prefixes = [], [], []
        for name, weight in self.model.named_parameters():
            if not weight.requires_grad:
                continue
            if is_prefix_weight(name):
                prefixes.append(weight)
            elif name.endswith("bias") or "norm" in name.lower():
                plain.append(weight)
            else:
                decayed.append(weight)
        groups = [
            {"params": decayed, "lr": optimisation.learning_rate, "weight_decay": optimisation.weight_decay},
            {"params": plain, "lr": optimisation.learning_rate, "weight_decay": 0.0},
            {
                "params": prefixes,
                "lr": optimisation.prefix_learning_rate,
                "weight_decay": optimisation.prefix_weight_decay,
            },
        ]
        return [group for group in groups if group["params"]]

    @property
    def prompts(self) -> PlainPrompts:
        """How a decoder-only model is asked."""
        prompt, adapters = self.config.prompt, self.config.adapter.folders.values()
        style = PromptStyle(prompt.told, prompt.ending, prompt.texts, prompt.release_compat, prompt.aggregation_input)
        return make_prompts(self.tokenizer, style, template_of_adapters(prompt.template, adapters))

    @property
    def n_trained(self) -> int:
        """Number of trainable parameters."""
        return sum(weight.numel() for weight in self.model.parameters() if weight.requires_grad)


def make_trainee(config: TrainingConfig, base: Path | None = None) -> Trainee:
    """The model, ready to be trained by the config's method. base: a folder instead of the named weights.

    Raises MissingLibrary, MissingWeights, SystemFault.
    """
    torch = import_library("torch")
    folder = base or find_weights(config.base, config.revision)
    family = family_of(folder)
    if family == "causal" and config.method != "lora":
        raise SystemFault(f"{folder.name} has no encoder; it can be trained by the method lora alone")
    if config.ranks and family == "causal":
        raise SystemFault(f"{folder.name} has no encoder; the method {config.method} needs one")
    device = pick_device(processes.local_device_name(config.optimisation.device))
    torch.manual_seed(config.seed)  # new prefixes, adapters and heads are initialized at random
    model = _load_trained_model(config, folder, family, device)
    trainee = Trainee(config, model, load_tokenizer(folder), family, folder, weights_hash(folder), device)
    if config.has_prefix:
        model.requires_grad_(config.trains_model)
        trainee.prefix = SoftPrefix(model, prefix_shape(config))
        trainee.prefix.module.requires_grad_(True)
    elif config.method == "lora":
        trainee.model = _with_adapter(model, config, family)
    elif config.has_bottleneck:
        trainee.stack = _add_bottleneck(model, config)
    return trainee


def _load_trained_model(config: TrainingConfig, folder: Path, family: Family, device: Any) -> Any:
    """The model on its device, in float32 unless it stays as it is and the configuration names another format; a
    classifier's head is new unless the folder has one."""
    optimisation = config.optimisation
    dropouts = {"dropout": optimisation.dropout, "attention_dropout": optimisation.attention_dropout}
    changes: dict[str, Any] = {name: share for name, share in dropouts.items() if share is not None}
    if optimisation.weights_dtype in QUANTIZED:
        return load_quantized(folder, family, optimisation.weights_dtype, device)
    dtype = getattr(import_library("torch"), optimisation.weights_dtype)
    if config.method == "rank-classifier":
        changes |= {"id2label": CLASSES, "label2id": CLASS_IDS}
        return load_model(folder, "classifier", dtype, new_head=True, **changes).to(device)
    return load_model(folder, family, dtype, **changes).to(device)


def prefix_shape(config: TrainingConfig) -> PrefixShape:
    """Vectors for every value of the attributes that the configuration steers by prefixes; "length=" is of requests
    without a length."""
    prefix = config.prefix
    values = tuple(
        f"{attribute.key}={value}"
        for attribute in config.schema.sampled
        if attribute.key in prefix.attributes
        for value in (*attribute.values, *([""] if prefix.none else []))
    )
    return PrefixShape(values, prefix.length, prefix.middle, prefix.combine, prefix.sites)


def _add_bottleneck(model: Any, config: TrainingConfig) -> AdapterStack:
    """One new adapter, or fusion layers over trained ones; the model is frozen."""
    model.requires_grad_(False)
    if config.method == "adapter":
        shape = bottleneck.AdapterShape((SINGLE_ADAPTER,), config.adapter.bottleneck.reduction)
        return AdapterStack(model, shape)
    folders = {name: find_file(folder) for name, folder in config.adapter.folders.items()}
    return bottleneck.fuse_adapters(model, folders)


def _with_adapter(model: Any, config: TrainingConfig, family: Family) -> Any:
    peft = import_peft()
    kinds = {"seq2seq": peft.TaskType.SEQ_2_SEQ_LM, "causal": peft.TaskType.CAUSAL_LM}
    lora = config.adapter.lora
    return peft.get_peft_model(
        model,
        peft.LoraConfig(
            task_type=kinds[family], r=lora.rank, lora_alpha=lora.alpha, lora_dropout=lora.dropout,
            target_modules=list(lora.targets) or None,
        ),
    )  # fmt: skip


def build_features(trainee: Trainee, examples: Sequence[Example]) -> list[dict[str, list[int]]]:
    """Token ids of inputs and targets for training; inputs hold the attributes that the method puts into the prompt."""
    encode_pairs = _seq2seq_features if trainee.family == "seq2seq" else _causal_features
    rows = encode_pairs(trainee, examples)
    if trainee.prefix is not None:
        ids = trainee.prefix.ids([example.request.values for example in examples])
        for row, chosen in zip(rows, ids, strict=True):
            row["prefix_ids"] = chosen
    return rows


def training_prompt(config: TrainingConfig, example: Example) -> str:
    request = example.request
    compat, form = config.prompt.release_compat, config.prompt.aggregation_input
    return prompt_text(request, request.values, config.prompt.told, release_compat=compat, aggregation_input=form)


def _seq2seq_features(trainee: Trainee, examples: Sequence[Example]) -> list[dict[str, list[int]]]:
    config, tokenizer = trainee.config, trainee.tokenizer
    summaries = [example.summary for example in examples]
    limit = _token_limit(trainee, config.prompt.max_source_tokens)
    labels = tokenizer(
        text_target=summaries, truncation=True, max_length=_token_limit(trainee, config.decoding.max_tokens)
    )["input_ids"]
    rows = encode_texts(tokenizer, [training_prompt(config, example) for example in examples], limit)
    return [{"input_ids": list(row.ids), "labels": target} for row, target in zip(rows, labels, strict=True)]


def _causal_features(trainee: Trainee, examples: Sequence[Example]) -> list[dict[str, list[int]]]:
    """The summary follows the prompt; prompt tokens are excluded from the loss."""
    config, prompts = trainee.config, trainee.prompts
    max_tokens = config.decoding.max_tokens
    positions = position_limit(trainee.model.config)
    room = None if positions is None else positions - max_tokens
    texts = [prompts.text(example.request, example.request.values) for example in examples]
    end = prompts.end_ids
    encoded_rows = []
    for row, example in zip(prompts.encode(texts, config.prompt.max_source_tokens, room), examples, strict=True):
        target = [*prompts.summary_ids(example.summary)[: max_tokens - 1], *end]
        encoded_rows.append({"input_ids": [*row.ids, *target], "labels": [IGNORED] * len(row.ids) + target})
    return encoded_rows


def _token_limit(trainee: Trainee, n_tokens: int) -> int:
    return min(n_tokens, position_limit(trainee.model.config) or n_tokens)


def collate_batch(rows: Sequence[Mapping[str, Any]], pad: int) -> dict[str, Any]:
    """A batch: inputs padded with `pad`, targets padded with IGNORED; a classifier's targets are one class per row."""
    from epitome.systems.neural.batching import pad_rows

    torch = import_library("torch")
    ids, mask = pad_rows([row["input_ids"] for row in rows], pad, "cpu")
    targets = [row["labels"] for row in rows]
    labels = torch.tensor(targets) if isinstance(targets[0], int) else pad_rows(targets, IGNORED, "cpu")[0]
    batch = {"input_ids": ids, "attention_mask": mask, "labels": labels}
    if "prefix_ids" in rows[0]:
        batch["prefix_ids"] = torch.tensor([row["prefix_ids"] for row in rows])
    return batch
