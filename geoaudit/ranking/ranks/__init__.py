"""The ranks of one distributed run held against each other."""
