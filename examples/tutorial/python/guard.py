"""Guards an application with Policy Guard: one file, Python 3.10 or later, nothing else.

    guard = Guard(url="http://127.0.0.1:8081", token=os.environ["RUNTIME_TOKEN"])
    text = guard.input(question).text
    answer = guard.output(ask_model(text)).text

What may go on is returned, what may not is raised as BlockedError. Copy the file into your project.
"""

from __future__ import annotations

import json
import random
import re
import time
import urllib.error
import urllib.request
import uuid
from dataclasses import dataclass, field, replace
from typing import Any, Iterable, Iterator

_PLACEHOLDER = re.compile(r"\[[A-Z0-9_]{1,80}_\d{1,9}\]")
# What the end of a text may be that becomes a placeholder when more comes.
_BEGUN = re.compile(r"\[[A-Z0-9_]{0,90}\Z")
_FIRST_PAUSE = 0.05
# What may go on. An answer that this file does not know, of a newer runtime, lets nothing pass.
_PASSING = {"ALLOW", "FLAG", "REDACT"}
_KEPT = {"keep", "redact"}


class GuardError(Exception):
    """Whatever a guard raises."""


class BlockedError(GuardError):
    """A policy says that the text must not go on. The message is meant for the person."""

    def __init__(self, stage: str, decision: dict[str, Any]):
        super().__init__(decision.get("message") or "This was blocked by a policy.")
        self.stage = stage
        self.decision = decision


class UnavailableError(GuardError):
    """No decision could be made. `reason` is "unreachable" or a code of docs/errors.md."""

    def __init__(self, reason: str, message: str, is_transient: bool = False, retry_after: float | None = None):
        super().__init__(message)
        self.reason = reason
        self.is_transient = is_transient
        self.retry_after = retry_after


class RequestError(GuardError):
    """The call itself is wrong: its token, its address or its content."""

    def __init__(self, reason: str, message: str):
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True)
class Guarded:
    """What may go on, and the answer of the runtime. `unavailable` says why there was none."""

    text: str
    decision: dict[str, Any]
    unavailable: UnavailableError | None = None


@dataclass(frozen=True)
class GuardedCalls:
    """Calls that may be made, and calls that may not."""

    allowed: list[dict[str, Any]]
    blocked: list[dict[str, Any]]
    decision: dict[str, Any]


@dataclass(frozen=True)
class GuardedPassages:
    """Passages to use, and passages to leave out."""

    kept: list[str]
    dropped: list[str]
    decision: dict[str, Any]


@dataclass(frozen=True)
class Guard:
    """Judges what an application passes on. Thread-safe: it keeps nothing."""

    url: str
    token: str
    #: "block" raises an UnavailableError when no decision can be made, "allow" lets the text pass.
    on_unavailable: str = "block"
    #: Seconds for a decision, all attempts together.
    timeout: float = 5.0
    #: How often a call that failed for the moment is repeated.
    retries: int = 2
    #: Put originals back into answers, streams and arguments of calls. Needs a session.
    restores: bool = False
    #: Members of every request, such as {"agent_id": "support-bot", "subject": {"user_id": "u-17"}}.
    context: dict[str, Any] = field(default_factory=dict)

    def session(self, session_id: str, restore: bool = False, **context: Any) -> "Guard":
        """The guard of one conversation."""
        return replace(self, restores=restore, context={**self.context, **context, "session_id": session_id})

    def input(self, text: str) -> Guarded:
        """Judges what is about to reach the model."""
        return self._judge("input", {"text": _well_formed(text)}, text)

    def output(self, text: str) -> Guarded:
        """Judges a complete answer of the model."""
        judged = self._judge("output", {"text": _well_formed(text)}, text)
        return replace(judged, text=self.restore(judged.text)) if self.restores else judged

    def tool_result(self, text: str, tool: str | None = None) -> Guarded:
        """Judges what a tool returned, before it enters the context."""
        segment = {"id": "s1", "text": _well_formed(text), **({"origin": f"tool:{tool}"} if tool else {})}
        return self._judge("tool_result", {"segments": [segment]}, text)

    def tool_calls(self, calls: list[dict[str, Any]]) -> GuardedCalls:
        """Judges calls that a model proposes, {"id", "name", "arguments"} each, each by itself."""
        if not calls:
            return GuardedCalls([], [], {})
        decision, unavailable = self._decide("tool_call", {"tool_calls": calls})
        outcomes = {outcome["id"]: outcome for outcome in decision.get("tool_calls", [])}
        allowed, blocked = [], []
        for call in calls:
            outcome = outcomes.get(call["id"], {})
            if not unavailable and outcome.get("outcome") not in _PASSING:
                blocked.append(call)
                continue
            arguments = outcome.get("arguments")
            arguments = call["arguments"] if arguments is None else arguments
            allowed.append({**call, "arguments": self.restore(arguments) if self.restores else arguments})
        if decision.get("outcome") not in _PASSING and not blocked:
            raise BlockedError("tool_call", decision)
        return GuardedCalls(allowed, blocked, decision)

    def retrieval(self, passages: list[str]) -> GuardedPassages:
        """Judges retrieved passages, each by itself."""
        if not passages:
            return GuardedPassages([], [], {})
        segments = [{"id": f"p{index}", "text": _well_formed(text)} for index, text in enumerate(passages)]
        decision, unavailable = self._decide("retrieval", {"segments": segments})
        chunks = {chunk["id"]: chunk for chunk in decision.get("chunks", [])}
        kept, dropped = [], []
        for index, text in enumerate(passages):
            chunk = chunks.get(f"p{index}", {})
            if not unavailable and chunk.get("decision") not in _KEPT:
                dropped.append(text)
            else:
                kept.append(text if chunk.get("text") is None else chunk["text"])
        if decision.get("outcome") not in _PASSING and not dropped:
            raise BlockedError("retrieval", decision)
        return GuardedPassages(kept, dropped, decision)

    def stream(self, pieces: Iterable[str], stage: str = "output") -> Iterator[str]:
        """Yields what may go on of a text that comes in pieces. Raises a BlockedError at a block."""
        source = iter(pieces)
        try:
            yield from self._streamed(_whole_characters(source), stage)
        finally:
            close = getattr(source, "close", None)
            if close:
                close()

    def _streamed(self, pieces: Iterator[str], stage: str) -> Iterator[str]:
        sent = released = held = ""
        try:
            stream_id = self._call("streams", {"stage": stage, "request": self._request({})})["stream_id"]
            for piece in pieces:
                sent += piece
                step = self._call(f"streams/{stream_id}/chunks", {"delta": piece}, retries=0)
                released += step["released"]
                text, held = self._restored(held + step["released"])
                if text:
                    yield text
                # The verdict is certain, and the rest would be for nothing.
                if step["closed"] and any(_blocks(finding) for finding in step["findings"]):
                    break
            end = self._call(f"streams/{stream_id}/finish", {}, retries=0)
        except UnavailableError:
            # Which part of a text that was rewritten has been released cannot be told.
            if self.on_unavailable == "block" or not sent.startswith(released):
                raise
            yield held + sent[len(released) :]
            yield from pieces
            return
        text, held = self._restored(held + end["released"])
        if text:
            yield text
        if end["verdict"]["outcome"] not in _PASSING:
            raise BlockedError(stage, end["verdict"])
        if held:
            yield held

    def restore(self, value: Any) -> Any:
        """The text, or any JSON value, with the originals of this session in place of its placeholders."""
        texts = sorted(set(_strings(value)))
        if not texts:
            return value
        session_id = self.context.get("session_id")
        if session_id is None:
            raise RequestError("validation_failed", "restore needs a session")
        segments = [{"id": str(index), "text": text} for index, text in enumerate(texts)]
        try:
            answer = self._call("restore", {"session_id": session_id, "segments": segments})
        except RequestError as error:
            # The runtime keeps nothing of the session: what looks like placeholders are none of its own.
            if error.reason != "not_found":
                raise
            return value
        except UnavailableError:
            if self.on_unavailable == "block":
                raise
            return value
        originals = {text: segment["text"] for text, segment in zip(texts, answer["segments"])}
        return _replaced(value, originals)

    def _restored(self, text: str) -> tuple[str, str]:
        """What may go on, and an end that may be the beginning of a placeholder."""
        if not self.restores:
            return text, ""
        begun = _BEGUN.search(text)
        cut = begun.start() if begun else len(text)
        return self.restore(text[:cut]), text[cut:]

    def _judge(self, stage: str, content: dict[str, Any], text: str) -> Guarded:
        decision, unavailable = self._decide(stage, content)
        if decision.get("outcome") not in _PASSING:
            raise BlockedError(stage, decision)
        rewritten = decision.get("text")
        segments = decision.get("redacted_segments") or []
        if rewritten is None and segments:
            rewritten = segments[0]["text"]
        return Guarded(text if rewritten is None else rewritten, decision, unavailable)

    def _decide(self, stage: str, content: dict[str, Any]) -> tuple[dict[str, Any], UnavailableError | None]:
        try:
            return self._call(stage.replace("_", "-"), self._request(content)), None
        except UnavailableError as error:
            if self.on_unavailable == "block":
                raise
            return {"outcome": "ALLOW", "findings": []}, error

    def _request(self, content: dict[str, Any]) -> dict[str, Any]:
        # Each attempt names the same evaluation, so it is one trace and counts once. Offsets are those of Python
        # strings.
        return {
            "evaluation_id": str(uuid.uuid4()),
            "options": {"offsets": "code_points"},
            **self.context,
            **content,
        }

    def _call(self, path: str, body: dict[str, Any], retries: int | None = None) -> dict[str, Any]:
        end = time.monotonic() + self.timeout
        attempts = (self.retries if retries is None else retries) + 1
        for failures in range(attempts):
            try:
                return self._post(path, body, max(0.001, end - time.monotonic()))
            except UnavailableError as error:
                pause = error.retry_after
                if pause is None:
                    pause = _FIRST_PAUSE * 2**failures * random.uniform(0.5, 1.5)
                if not error.is_transient or failures + 1 == attempts or time.monotonic() + pause >= end:
                    raise
                time.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def _post(self, path: str, body: dict[str, Any], timeout: float) -> dict[str, Any]:
        request = urllib.request.Request(
            f"{self.url.rstrip('/')}/v1/evaluate/{path}",
            data=json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
            method="POST",
        )
        try:
            with urllib.request.urlopen(request, timeout=timeout) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise _failure(error.code, error.read()) from None
        except TimeoutError:
            raise UnavailableError("deadline_exceeded", "the runtime took too long") from None
        except OSError as error:
            if isinstance(getattr(error, "reason", None), TimeoutError):
                raise UnavailableError("deadline_exceeded", "the runtime took too long") from None
            raise UnavailableError("unreachable", f"the runtime did not answer: {error}", is_transient=True) from None


def _failure(status: int, body: bytes) -> GuardError:
    try:
        detail = json.loads(body)["detail"]
    except (ValueError, KeyError, TypeError):
        detail = {}
    if not isinstance(detail, dict):
        detail = {"message": detail}
    reason = detail.get("error", "")
    message = detail.get("message") or f"the answer is {status}; is `url` the address of a runtime?"
    if status >= 500 or status == 429:
        transient = status != 504
        return UnavailableError(reason or "unreachable", message, transient, detail.get("retry_after"))
    if status == 402 or reason == "plan_limit_exceeded":
        return UnavailableError(reason or "payment_required", message)
    return RequestError(reason or "malformed_request", message)


def _whole_characters(pieces: Iterable[str]) -> Iterator[str]:
    """The pieces without halves of surrogate pairs, as JSON that was cut within a character has them."""
    half = ""
    for piece in pieces:
        text = half + piece
        half = text[-1] if "\ud800" <= text[-1:] <= "\udbff" else ""
        text = _well_formed(text[: len(text) - len(half)])
        if text:
            yield text
    if half:
        yield _well_formed(half)


def _well_formed(text: str) -> str:
    """The text with its surrogate pairs as characters, and U+FFFD in place of halves."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _blocks(finding: dict[str, Any]) -> bool:
    return finding["action"] == "BLOCK" and finding["mode"] == "enforce" and finding["exempted_by"] is None


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if _PLACEHOLDER.search(value):
            yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _replaced(value: Any, originals: dict[str, str]) -> Any:
    if isinstance(value, str):
        return originals.get(value, value)
    if isinstance(value, dict):
        return {name: _replaced(item, originals) for name, item in value.items()}
    if isinstance(value, list):
        return [_replaced(item, originals) for item in value]
    return value
