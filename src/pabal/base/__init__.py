"""How Pabal touches the world below it: database, SQL, clock, settings, telemetry, errors."""
