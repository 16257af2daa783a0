"""A set of texts for scorers and rankers, registered by tests and by the benchmark of killed runs."""

from annotation.models import Sample
from modelbridge.services.runs.text_sets import Material

PHRASES = ("the old bridge", "a bridge over the harbour", "voters")


class Phrases:
    """Three phrases for every sample: a ranker gets them as candidates, a scorer one by one, others the first."""

    key = "phrases"
    title = "Phrases"
    roles = frozenset({"rank", "score", "transform", "judge"})

    def __init__(self, role: str) -> None:
        self.role = role

    def list_arguments(self, project):
        return [("", "")]

    def check(self, project, argument):
        pass

    def list_samples(self, project, argument):
        return set(Sample.objects.filter(project=project).values_list("pk", flat=True))

    def load(self, project, argument, samples):
        return dict.fromkeys(samples, self._materials())

    def _materials(self):
        if self.role == "rank":
            return [Material("gold", candidates=PHRASES)]
        keys = ("gold",) if self.role in ("judge", "transform") else ("gold", "first", "second")
        return [Material(key, text, origin=f"p:{key}") for key, text in zip(keys, PHRASES, strict=False)]
