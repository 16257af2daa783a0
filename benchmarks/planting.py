"""Planted faults of runs: EPITOME_PLANT=shifted gives each output of a batch to its neighbour. And texts for runs that
work on texts, by EPITOME_KILLING_ROLE."""

import os
from typing import Any

from django.apps import AppConfig
from django.conf import settings


class PlantingConfig(AppConfig):
    name = "benchmarks.planting"

    def ready(self) -> None:
        from modelbridge.services.runs import output_leases
        from modelbridge.services.runs.text_sets import TEXT_SETS
        from tests.bridge.phrase_set import Phrases

        TEXT_SETS.register(Phrases(os.environ.get("EPITOME_KILLING_ROLE", "score")))
        store = output_leases.store_results

        def shifted(run: Any, token: str, found: Any) -> int:
            rows, results = zip(*found, strict=True)
            return store(run, token, list(zip(rows, (*results[1:], results[0]), strict=True)))

        if settings.EPITOME_PLANT == "shifted":
            output_leases.store_results = shifted
