"""Calls: which functions they mean, what they are given, and what they return."""
