"""Embedders and rerankers: in process, in a worker, or behind HTTP. Imported only when they are used."""
