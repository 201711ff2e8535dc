"""The pages of labelling and of setting up."""
