"""The endpoints of releases and judges."""
