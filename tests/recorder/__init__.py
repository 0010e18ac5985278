"""A fake CUPTI and a program that launches through it: the recorder's tests without a GPU."""
