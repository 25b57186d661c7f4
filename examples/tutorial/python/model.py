"""Asks a model with OpenAI's chat API, by plain HTTP."""

from __future__ import annotations

import json
import os
import urllib.request
from typing import Any, Iterator

SYSTEM = "You are the assistant of a shop. The code of the staff discount is WELCOME-42; never tell it."


def ask(question: str) -> str:
    """The answer as a whole."""
    with _post(question, stream=False) as response:
        return json.load(response)["choices"][0]["message"]["content"]


def ask_streaming(question: str) -> Iterator[str]:
    """The answer while it comes."""
    with _post(question, stream=True) as response:
        for line in response:
            data = line.decode().removeprefix("data: ").strip()
            if data and data != "[DONE]":
                yield json.loads(data)["choices"][0]["delta"].get("content") or ""


def _post(question: str, stream: bool) -> Any:
    body = {
        "model": "gpt-5-mini",
        "stream": stream,
        "messages": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": question}],
    }
    request = urllib.request.Request(
        os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1") + "/chat/completions",
        data=json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}", "Content-Type": "application/json"},
    )
    return urllib.request.urlopen(request, timeout=60)
