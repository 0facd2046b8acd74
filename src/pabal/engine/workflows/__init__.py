"""Workflows: chains of steps declared as data, whose runs survive anything. Knows kinds of steps and signals, no people."""
