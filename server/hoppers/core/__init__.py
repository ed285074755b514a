"""Boards, positions, rules and kernels: what every other package is built on."""
