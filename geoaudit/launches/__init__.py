"""The launches table: schema, store, tokens and signatures."""
