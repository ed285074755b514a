"""Random inputs, valid, almost valid and nonsense, that a server must survive: `python -m tests.attacks`."""
