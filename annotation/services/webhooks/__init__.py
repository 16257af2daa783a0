"""Webhooks: who is told of events, the outbox of events, and the job that sends them."""
