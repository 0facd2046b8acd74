"""The five applications: closed slices, strangers to each other."""
