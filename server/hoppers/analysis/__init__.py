"""Questions about positions and their answers: verdicts, hints, solutions, published results."""
