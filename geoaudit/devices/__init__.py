"""Devices: their limits, the table of known ones, and how a recording's device is resolved."""
