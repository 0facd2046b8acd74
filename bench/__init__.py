"""Figures against peers and against bare SQL: `python -m bench NAME --json`, or all of them into docs/benchmarks.md."""
