"""The impure edge of the check: finding and reading files, parsing in processes, the cache."""
