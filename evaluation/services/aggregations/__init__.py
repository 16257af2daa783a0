"""Answers of aggregation tasks: which count, what they hold, and the lists that systems rank."""
