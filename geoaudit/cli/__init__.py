"""The command line: one file per command, options in, exit code out."""
