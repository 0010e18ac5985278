"""What on a machine would stop a recording: what is looked at, and what it means."""
