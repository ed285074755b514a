"""Running searches: scheduler, worker process and the compilation of kernels."""
