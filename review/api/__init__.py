"""The endpoints of leads."""
