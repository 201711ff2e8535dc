"""How long the adjudication queue of a large campaign takes: `python -m review.benchmark_queue [items]`."""
