"""The TOML of trainings small enough for tests."""

SCRATCH = "[scratch]\nwidth = 48\nlayers = 1\nheads = 4\nfeed_forward = 96\nvocabulary = 380\npositions = 128\n"


def training_text(method, *, base="", steps=100, key="tiny", tables="", **optimisation):
    """A training on train.json and dev.json. Only HP is told the length, and nothing else, in the text."""
    text = '["length"]' if method in ("hp", "hp+sp", "lora") else "[]"
    start = f'base = "{base}"\n' if base else ""
    how = {"batch_size": 24, "accumulation": 1, "warmup_steps": 10, "log_every": 10, "evaluate_every": steps}
    rows = "".join(f"{name} = {value}\n" for name, value in {**how, "steps": steps, **optimisation}.items())
    return (
        f'[training]\nkey = "{key}"\nmethod = "{method}"\nschema = "macsum-doc"\n{start}\n{"" if base else SCRATCH}\n'
        f'[data]\ntrain = "train.json"\ndev = "dev.json"\n[prompt]\nattributes = {text}\n'
        f'[prefix]\nlength = 8\nmiddle = 64\n[optimisation]\ndevice = "cpu"\nepochs = 1000\n{rows}\n{tables}'
        "[decoding]\nbeams = 1\nmax_tokens = 14\nmin_tokens = 0\nno_repeat_ngram = 0\n"
    )


def short_training_text(key="tiny", base="", **optimisation):
    how = {"batch_size": 4, "accumulation": 1, "steps": 4, "evaluate_every": 2, "log_every": 1, "warmup_steps": 1}
    rows = "".join(f"{name} = {value}\n" for name, value in {**how, **optimisation}.items())
    return (
        f'[training]\nkey = "{key}"\nmethod = "{"sp" if base else "hp"}"\nschema = "macsum-doc"\n'
        f"{f'base = {base!r}' if base else SCRATCH}\n[prefix]\nlength = 2\nmiddle = 8\n"
        f'[optimisation]\ndevice = "cpu"\n{rows}[decoding]\nbeams = 1\nmax_tokens = 10\nmin_tokens = 0\n'
    )
