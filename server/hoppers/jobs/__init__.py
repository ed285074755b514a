"""Running searches: scheduler and the compilation of kernels."""
