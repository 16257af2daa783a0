"""Modules that register job handlers, sweepers and other extensions; see annotation.extension_points."""

from modelbridge.services.construction import split_papers, step_jobs  # noqa: F401
from modelbridge.services.runs import (  # noqa: F401
    contrastive_texts,
    contrastive_use,
    output_texts,
    run_worker,
    sample_use,
    suggestions,
    system_tests,
    warm_systems,
    withdrawn_prompts,
)
from modelbridge.services.training import training  # noqa: F401
