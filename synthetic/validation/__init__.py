"""What a world is made of and asked for, checked: numbers, arrays, points; refused in one sentence each."""
