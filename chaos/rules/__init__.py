"""Survival of rules: servers, scripts and the database die; what ran is seen in /proc, and what is kept is counted."""
