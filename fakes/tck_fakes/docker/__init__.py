"""The simulator's containers on a real engine: `runtime` is the kit's end, `inside` the program in each container."""
