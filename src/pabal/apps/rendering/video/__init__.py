"""What is in a rendered file: read in a child process, because nothing about it can be trusted."""
