"""What one changed request does to everything else: draws, runs and tables."""
