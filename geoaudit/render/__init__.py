"""Text, JSON, CSV, Markdown and HTML of an audit; no computation."""
