"""What a user gives: options, files, columns and weights, checked."""
