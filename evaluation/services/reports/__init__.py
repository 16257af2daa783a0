"""Reports of rounds: rows, jobs, files and disagreements."""
