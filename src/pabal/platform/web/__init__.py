"""The web every app stands on: visits, pages and problems, headers, live updates, paging, idempotency."""
