"""C, C++, CUDA and HIP source text into a `FileProgram`."""

from geoaudit.shardcheck.c_family.reading import read_c_file

__all__ = ["read_c_file"]
