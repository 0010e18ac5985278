"""Pure launch geometry: occupancy, waves, SM fill and wasted SM-time."""
