"""How long agreement figures of a large campaign take: `python -m review.benchmark_agreement [items] [every-step]`."""
