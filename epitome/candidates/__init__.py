"""Candidates for choosing: topics, from an extractor behind one Protocol, and speakers."""
