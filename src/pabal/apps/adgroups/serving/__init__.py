"""What ad servers read from Redis: written in batches from facts, rebuilt on demand, compared and mended."""
