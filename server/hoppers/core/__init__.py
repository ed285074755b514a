"""Boards, positions, rules, events and kernels, on which all other packages build."""
