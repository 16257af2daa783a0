"""Withdrawal of a person: what it covers and how texts are masked."""
