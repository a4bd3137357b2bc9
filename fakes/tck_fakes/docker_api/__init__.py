"""Docker's Engine API over the kit's runtime: it records what containers are asked for, and isolates nothing."""
