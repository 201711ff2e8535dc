"""The pages of leads."""
