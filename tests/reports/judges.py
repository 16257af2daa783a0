"""A judge for tests of reports."""

from epitome.systems.protocol import Output, SystemFault


class YesJudge:
    """Says yes, but to the third request something else; stops when told to."""

    role = "judge"

    def __init__(self, stop_after=None):
        self.seen, self.stop_after = [], stop_after

    def judge(self, batch, question, answers):
        if self.stop_after is not None and len(self.seen) >= self.stop_after:
            raise SystemFault("the server went away")
        items = []
        for request in batch:
            self.seen.append((request, question, tuple(answers)))
            items.append(Output("perhaps" if len(self.seen) == 3 else answers[0]))
        return items
