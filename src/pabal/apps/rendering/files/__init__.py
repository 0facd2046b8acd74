"""Where files are for whom, how a render comes to the NAS whole, and how it is read from there."""
