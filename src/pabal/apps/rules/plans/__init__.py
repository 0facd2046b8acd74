"""Plans: a request in words becomes a workflow that somebody may approve. A language model only proposes."""
