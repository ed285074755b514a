"""Boards, positions, rules, events and kernels, on which all packages but `runtime` build."""
