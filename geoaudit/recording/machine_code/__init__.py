"""What the machine code of a kernel says: bytes of loads that a thread has outstanding."""
