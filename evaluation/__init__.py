"""Compares humans and systems. May import annotation and modelbridge."""
