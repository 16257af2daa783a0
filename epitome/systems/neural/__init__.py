"""Shared by all systems with weights. torch and transformers are imported inside functions only."""
