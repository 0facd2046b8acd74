"""Workflows: chains of steps declared as data, whose runs survive anything. They know no people."""
