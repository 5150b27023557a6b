"""What facts mean: slots and their timelines, contradictions, the graph. Rules, and the little that stores them."""
