"""What the report says of each experiment: tables, pictures and how to read them."""
