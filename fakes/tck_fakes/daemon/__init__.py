"""Docker's daemon as far as the stand-ins have it: what its program and its API share, over the kit's runtime."""
