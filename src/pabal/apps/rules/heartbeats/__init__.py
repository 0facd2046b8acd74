"""Heartbeats: jobs elsewhere report to an address of ours; one that is late or missing is noticed."""
