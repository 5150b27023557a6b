"""The face for agents: the catalog of tools, resources and prompts over the Model Context Protocol."""
