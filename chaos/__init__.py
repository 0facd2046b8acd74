"""Survival under faults: servers are killed, stopped and cut off while they work; a checker reads the histories."""
