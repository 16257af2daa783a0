"""Inspection: the weekly sample, the queue, verdicts and acceptance."""
