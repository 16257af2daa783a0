"""Accounts: sessions, API tokens, sign-in limits and the second factor."""
