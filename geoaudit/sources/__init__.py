"""Foreign profiles: one module per format, each giving a Recording."""
