"""Readers and writers of dataset files: bytes in, records out, one at a time. Nothing here knows Django."""
