"""What a source file says, in one form for every language: expressions, statements, functions."""
