"""Kombu transports that survive invalid messages in a queue; one module each, so that only one library is loaded."""
