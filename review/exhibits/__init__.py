"""What the agreement pages show: each a picture with its table beside it, made from kept figures."""
