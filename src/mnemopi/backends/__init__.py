"""Memory for an agent's session: backends behind one interface, and the session's life cycle."""
