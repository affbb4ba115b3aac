# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiny models of the families that are promised, with padded batches: the import is verified."""
import pytest
from families import outcome

DECODERS = ["mistral", "gemma2", "gemma3", "qwen2", "qwen3", "opt", "bloom", "falcon", "mpt", "gptj", "olmo", "olmo2", "phi", "phi3", "gpt2",
            "llama", "minicpm3"]
ENCODERS = ["bert", "bert/masked", "bert/token", "bert/question", "bert/choice", "roberta", "electra", "deberta", "modernbert", "esm", "xlm"]
PAIRS = ["t5", "bart", "marian", "whisper"]
IMAGES = ["vit", "dinov2", "swin", "convnext", "resnet"]
BOTH = ["clip", "clip/contrastive", "siglip", "llava", "qwen2_vl", "qwen2_5_vl"]


@pytest.mark.cases(3)
@pytest.mark.parametrize("name", DECODERS + ENCODERS + PAIRS + IMAGES + BOTH)
@pytest.mark.filterwarnings("ignore")
def test_a_family_is_verified(name):
    kind, what = outcome(name)
    assert kind == "imports", what
    assert what[3].verified == "verified"
