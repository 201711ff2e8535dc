"""The endpoints of labelling and of setting up."""
