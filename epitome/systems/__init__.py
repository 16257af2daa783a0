"""Systems that summarize, rank, score, rewrite or judge. No Django; heavy libraries are imported on use."""
