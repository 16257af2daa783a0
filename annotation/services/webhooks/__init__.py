"""Webhooks: who is notified of events, the outbox of events, and the job that sends them."""
