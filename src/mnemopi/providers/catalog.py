"""What is known of models by name: length, prefixes, pooling, and where the files of local ones lie.

Data and one look-up. A model trained with prefixes loses much of its quality without them, and gives no sign of it:
so they are applied by name, for local models and for the same models behind an API.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from mnemopi.model.values import dataclass

Pooling: TypeAlias = Literal["cls", "mean"]
Task: TypeAlias = Literal["embed", "rerank"]

SIDECARS = ("tokenizer.json", "tokenizer_config.json")
"""Files beside the graph without which no model loads."""
OPTIONAL_SIDECARS = ("config.json", "special_tokens_map.json")
"""Files that newer models leave out."""

_BGE_EN = "Represent this sentence for searching relevant passages: "
_BGE_ZH = "为这个句子生成表示以用于检索相关文章："


@dataclass(frozen=True, slots=True)
class Model:
    """One model. `repository` is empty where no ONNX files are known: such a model runs behind an API.

    What reranks has no dimensions.
    """

    name: str
    dimensions: int
    languages: str
    query_prefix: str = ""
    document_prefix: str = ""
    pooling: Pooling = "mean"
    repository: str = ""
    graph: str = ""
    extra: tuple[str, ...] = ()
    task: Task = "embed"

    @property
    def is_local(self) -> bool:
        """Whether its files can be fetched and run here."""
        return bool(self.repository)

    @property
    def graph_name(self) -> str:
        """The name of the graph file in the model's folder, which is flat."""
        return self.graph.rsplit("/", 1)[-1]

    def files(self) -> dict[str, str]:
        """Map each file without which it cannot run to its path in the repository."""
        paths = (self.graph, *self.extra, *SIDECARS)
        return {path.rsplit("/", 1)[-1]: path for path in paths}


def _bge(name: str, dimensions: int, repository: str, graph: str = "model_optimized.onnx") -> Model:
    chinese = "-zh" in name
    languages, prefix = ("Chinese", _BGE_ZH) if chinese else ("English", _BGE_EN)
    return Model(name, dimensions, languages, prefix, "", "cls", repository, graph if repository else "")


def _e5(name: str, dimensions: int, repository: str, graph: str, *extra: str) -> Model:
    return Model(name, dimensions, "100 languages", "query: ", "passage: ", "mean", repository, graph, extra)


def _reranker(name: str, languages: str, repository: str, graph: str = "onnx/model.onnx") -> Model:
    return Model(name, 0, languages, repository=repository, graph=graph, task="rerank")


MODELS: tuple[Model, ...] = (
    _bge("bge-small-en-v1.5", 384, "Qdrant/bge-small-en-v1.5-onnx-Q"),
    _bge("bge-base-en-v1.5", 768, "Qdrant/bge-base-en-v1.5-onnx-Q"),
    _bge("bge-large-en-v1.5", 1024, "Qdrant/bge-large-en-v1.5-onnx", "model.onnx"),
    _bge("bge-small-en", 384, "Qdrant/bge-small-en"),
    _bge("bge-base-en", 768, "Qdrant/fast-bge-base-en"),
    _bge("bge-small-zh-v1.5", 512, "Qdrant/bge-small-zh-v1.5"),
    _bge("bge-base-zh-v1.5", 768, ""),
    _bge("bge-large-zh-v1.5", 1024, ""),
    Model("bge-m3", 1024, "100 languages", pooling="cls"),
    Model("bge-multilingual-gemma2", 3584, "100 languages"),
    _e5("multilingual-e5-small", 384, "intfloat/multilingual-e5-small", "onnx/model.onnx"),
    _e5("multilingual-e5-base", 768, "intfloat/multilingual-e5-base", "onnx/model.onnx"),
    _e5("multilingual-e5-large", 1024, "Qdrant/multilingual-e5-large-onnx", "model.onnx", "model.onnx_data"),
    Model("all-MiniLM-L6-v2", 384, "English", repository="Qdrant/all-MiniLM-L6-v2-onnx", graph="model.onnx"),
    Model(
        "paraphrase-multilingual-MiniLM-L12-v2",
        384,
        "50 languages",
        repository="Qdrant/paraphrase-multilingual-MiniLM-L12-v2-onnx-Q",
        graph="model_optimized.onnx",
    ),
    Model("nomic-embed-text", 768, "English", "search_query: ", "search_document: "),
    Model("mxbai-embed-large", 1024, "English", _BGE_EN, pooling="cls"),
    Model("text-embedding-3-small", 1536, "many languages"),
    Model("text-embedding-3-large", 3072, "many languages"),
    Model("text-embedding-ada-002", 1536, "many languages"),
    Model("jina-embeddings-v5-omni-nano", 768, "many languages"),
    Model("jina-embeddings-v5-omni-small", 1024, "many languages"),
    _reranker("ms-marco-MiniLM-L-6-v2", "English", "Xenova/ms-marco-MiniLM-L-6-v2"),
    _reranker("ms-marco-MiniLM-L-12-v2", "English", "Xenova/ms-marco-MiniLM-L-12-v2"),
    _reranker("jina-reranker-v1-tiny-en", "English", "jinaai/jina-reranker-v1-tiny-en"),
    _reranker("jina-reranker-v1-turbo-en", "English", "jinaai/jina-reranker-v1-turbo-en"),
    _reranker("bge-reranker-base", "Chinese, English", "BAAI/bge-reranker-base"),
    _reranker("bge-reranker-v2-m3", "100 languages", "onnx-community/bge-reranker-v2-m3-ONNX", "onnx/model_int8.onnx"),
)

_BY_NAME = {model.name.lower(): model for model in MODELS}


def find(name: str) -> Model | None:
    """Look a model up by its name in any case, with or without organisation, `fast-` or a `:tag`."""
    bare = name.strip().lower().rsplit("/", 1)[-1].split(":", 1)[0].removeprefix("fast-")
    return _BY_NAME.get(bare)
