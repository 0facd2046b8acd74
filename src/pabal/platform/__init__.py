"""What more than one app needs."""
