"""What names stand for: locals, parameters, macros, members and fields."""
