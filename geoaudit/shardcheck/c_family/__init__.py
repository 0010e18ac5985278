"""C, C++, CUDA and HIP source text into a `FileProgram`."""
