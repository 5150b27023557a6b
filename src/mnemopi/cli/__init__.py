"""The command line: one module a group of commands, loaded when one of them is called."""
