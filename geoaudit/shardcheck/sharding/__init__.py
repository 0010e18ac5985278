"""Which numbers of a grid parallelism divides, and what each is worth at n ranks."""
