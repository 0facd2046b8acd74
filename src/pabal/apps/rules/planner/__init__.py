"""Where a language model proposes and a person decides: nothing it writes enters by itself."""
