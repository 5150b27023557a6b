"""The HTTP face: MCP and REST over one port, each request known by its token."""
