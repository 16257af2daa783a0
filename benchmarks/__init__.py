"""Speed and memory, as ratios, counts and rates. Each module runs with `python -m benchmarks.NAME`."""
