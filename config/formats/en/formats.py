"""Dates that read alike on both sides of the Atlantic, and the clock of 24 hours that reservations are told in."""

DATE_FORMAT = SHORT_DATE_FORMAT = "j M Y"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = SHORT_DATETIME_FORMAT = "j M Y, H:i"
