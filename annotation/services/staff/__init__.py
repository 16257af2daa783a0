"""The staff's view of the work and their actions on it."""
