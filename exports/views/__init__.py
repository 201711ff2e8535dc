"""The pages of releases and judges."""
