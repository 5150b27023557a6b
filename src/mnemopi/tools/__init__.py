"""What agents can do: each tool is one value, and every face is a rendering of the one catalog."""
