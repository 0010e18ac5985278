"""The audit: launches grouped by signature and ranked by wasted SM-time per token."""
