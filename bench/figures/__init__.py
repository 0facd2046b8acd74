"""One module for each figure: `measure(bench, sizes)` answers its fields, the raw rounds and what was done."""
