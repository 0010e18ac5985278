"""What a device can do at best, measured on it: the floors of its kernels."""
