"""An extractor of candidates for tests."""

from epitome.candidates.protocol import TopicCandidate


class WordExtractor:
    """An extractor without a model: the first long words of a source."""

    key = "words"

    def __init__(self, version="1", breaks_at=None):
        self.version, self.breaks_at, self.read = version, breaks_at, 0

    def find_fault(self, segments):
        return None

    def extract_many(self, sources, n=20):
        for segments in sources:
            self.read += 1
            if self.read == self.breaks_at:
                raise RuntimeError("out of memory")
            words = [word for segment in segments for word in segment["text"].lower().split() if len(word) > 4]
            yield [
                TopicCandidate(text=word, score=1 / rank, rank=rank, mentions=1) for rank, word in enumerate(words, 1)
            ]
