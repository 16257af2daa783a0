"""Candidates for the annotator's first step: topics by an extractor behind one Protocol, and the speakers."""
