"""What `import ratecert as rc` does with a paper, and with a statement: functions that take keys and ids."""
