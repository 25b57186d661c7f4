// The guard against a real runtime, over fetch and over HTTP/2.

import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { create, fromBinary, isMessage } from "@bufbuild/protobuf";
import type { Interceptor } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EvaluateResponse, EvaluateResponseSchema } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { type EvaluationRecord, EvaluationRecordSchema } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { EvaluateVectorSchema } from "../../../gen/policyguard/testing/v1/evaluate_vector_pb.ts";
import { readableOf } from "../../../src/client/guard/stream.ts";
import {
  BlockedError,
  createGuard as createFetchGuard,
  type Guard,
  type GuardOptions,
  RequestError,
  UnavailableError,
} from "../../../src/client/guard.ts";
import { createGuard as createNodeGuard } from "../../../src/client/guard-node.ts";
import { bundleOf, type EvaluateStage, startEvaluateStage } from "../../harness/vector/evaluate-stage.ts";

const yaml = [
  "detectors:",
  "  words: {use: keywords, keywords: [project bluebird]}",
  "  mail: {use: pii, entities: [EMAIL]}",
  "  names: {use: keywords, keywords: [Ada Lovelace], category: person.name}",
  "rules:",
  "  - id: secret",
  "    stages: [input, output, tool_call, tool_result, retrieval]",
  "    detect: words",
  "    action: BLOCK",
  "    message: I can't talk about that.",
  "  - id: mail",
  "    stages: [input, tool_call, tool_result, retrieval]",
  "    detect: mail",
  "    action: REDACT",
  "    redact: {reversible: true}",
  "  - {id: names, stages: [output], detect: names, action: REDACT}",
  "  - {id: watched, stages: [input], detect: words, action: BLOCK, mode: shadow}",
];

const records: EvaluationRecord[] = [];
const spool = { append: (bytes: Uint8Array) => records.push(fromBinary(EvaluationRecordSchema, bytes)) };
let stage: EvaluateStage;
const servers: Server[] = [];

beforeAll(async () => {
  stage = await startEvaluateStage({ spool });
  await stage.adopt(await bundleOf(create(EvaluateVectorSchema, { policies: [{ yaml }] })));
});

afterAll(async () => {
  for (const server of servers) server.close();
  await stage.stop();
});

const options = (change: Partial<GuardOptions> = {}): GuardOptions => ({
  url: stage.url,
  token: stage.tokenOf("runtime"),
  timeoutMs: 60_000,
  ...change,
});

async function collect(stream: ReadableStream<string>): Promise<string> {
  let text = "";
  for await (const part of stream) text += part;
  return text;
}

async function* each(pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces;
}

const streamOf = (pieces: readonly string[]) => readableOf(each(pieces));

const piecesOf = (text: string, size = 3): ReadableStream<string> =>
  streamOf(text.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? []);

describe.each([
  ["fetch", createFetchGuard],
  ["HTTP/2", createNodeGuard],
] as const)("a guard over %s", (_, createGuard) => {
  let guard: Guard;
  beforeAll(() => {
    guard = createGuard(options());
  });

  it("lets a text pass, and says what decided", async () => {
    const { text, decision } = await guard.input("How do I reset my password?");
    expect(text).toBe("How do I reset my password?");
    expect(decision).toMatchObject({ outcome: "ALLOW", findings: [], bundleVersion: 1 });
    expect(decision.unavailable).toBeUndefined();
    expect(decision.evaluationId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("throws a BlockedError with the policy's message, the decision and the stage", async () => {
    const error = await guard.input("What is project bluebird?").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BlockedError);
    expect(error).toMatchObject({
      name: "BlockedError",
      message: "I can't talk about that.",
      stage: "input",
      decision: { outcome: "BLOCK", wouldBeOutcome: "BLOCK" },
    });
    if (!(error instanceof BlockedError)) return;
    const base = { policy: "guard", detector: "words", severity: "high", action: "BLOCK", start: 8, end: 24 };
    expect(error.decision.findings).toEqual([
      expect.objectContaining({ ...base, ruleId: "secret", mode: "enforce" }),
      expect.objectContaining({ ...base, ruleId: "watched", mode: "shadow" }),
    ]);
    await expect(guard.output("It is project bluebird.")).rejects.toMatchObject({ stage: "output" });
  });

  it("rewrites a text, and puts originals back into the answer of the same session", async () => {
    const chat = guard.session(crypto.randomUUID(), { restore: true });
    const { text, decision } = await chat.input("Write to ada@lovelace.dev");
    expect({ text, outcome: decision.outcome }).toEqual({ text: "Write to [EMAIL_1]", outcome: "REDACT" });
    const answer = await chat.output("I wrote to [EMAIL_1] and [EMAIL_2].");
    expect(answer.text).toBe("I wrote to ada@lovelace.dev and [EMAIL_2].");
    // Without being asked for it does not, and another session has no originals.
    expect((await chat.with({ restore: false }).output("To [EMAIL_1]")).text).toBe("To [EMAIL_1]");
    expect(await guard.session("another").restore("To [EMAIL_1]")).toBe("To [EMAIL_1]");
    expect(await chat.restore({ to: ["[EMAIL_1]", 7, null], "[EMAIL_1]": true })).toEqual({
      to: ["ada@lovelace.dev", 7, null],
      "[EMAIL_1]": true,
    });
    await expect(guard.restore("To [EMAIL_1]")).rejects.toBeInstanceOf(RequestError);
  });

  it("takes messages as the chat APIs have them, and keeps what it does not judge", async () => {
    const image = { type: "image_url", image_url: { url: "data:," } };
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", name: "ada", content: [{ type: "text", text: "I am ada@lovelace.dev" }, image] },
      { role: "assistant", content: null, tool_calls: [] },
    ];
    const judged = await guard.input(messages);
    expect(judged.decision.outcome).toBe("REDACT");
    expect(judged.messages).toEqual([
      messages[0],
      { role: "user", name: "ada", content: [{ type: "text", text: "I am [EMAIL_1]" }, image] },
      messages[2],
    ]);
    expect(messages[1]?.content).toContain(image);
    await expect(guard.input([{ role: "user", content: "project bluebird" }])).rejects.toBeInstanceOf(BlockedError);
    expect((await guard.input([{ role: "user", content: [image] }])).decision.evaluationId).toBeUndefined();
    const turns = [...messages.slice(0, 1), { role: "assistant", content: "It is project bluebird." }];
    await expect(guard.conversation(turns)).rejects.toBeInstanceOf(BlockedError);
  });

  it("judges each call by itself, and gives arguments back in the form in which they came", async () => {
    const chat = guard.session(crypto.randomUUID(), { restore: true });
    await chat.input("I am ada@lovelace.dev");
    const { allowed, blocked, decision } = await chat.with({ restore: false }).toolCalls([
      { id: "call_1", name: "search", arguments: '{"q": "cats", "n": 9007199254740993}' },
      { id: "call_2", name: "search", arguments: '{"q":"project bluebird"}' },
      { id: "call_3", name: "send", arguments: { to: "ada@lovelace.dev" } },
    ]);
    expect(decision.outcome).toBe("BLOCK");
    expect(allowed).toEqual([
      { id: "call_1", name: "search", arguments: '{"q": "cats", "n": 9007199254740993}' },
      { id: "call_3", name: "send", arguments: { to: "[EMAIL_1]" } },
    ]);
    expect(blocked).toEqual([{ call: expect.objectContaining({ id: "call_2" }), ruleIds: ["secret"] }]);
    // The model writes the placeholder, the tool gets the address.
    const restored = await chat.toolCalls([{ name: "send", arguments: '{"to":"[EMAIL_1]"}' }]);
    expect(restored.allowed).toEqual([{ name: "send", arguments: '{"to":"ada@lovelace.dev"}' }]);
    await expect(guard.toolCalls([{ name: "send", arguments: '{"to":' }])).rejects.toMatchObject({
      name: "RequestError",
      message: "the arguments of the call of send are not JSON",
    });
    expect((await guard.toolCalls([])).allowed).toEqual([]);
  });

  it("lets no call and no passage go on by an answer that it does not understand, or that lacks them", async () => {
    const changed = (change: (answer: EvaluateResponse) => void): Guard => {
      const interceptor: Interceptor = (next) => async (request) => {
        const response = await next(request);
        if (!response.stream && isMessage(response.message, EvaluateResponseSchema)) change(response.message);
        return response;
      };
      return createGuard(options({ interceptors: [interceptor] }));
    };
    const newer = changed((answer) => {
      for (const call of answer.toolCalls) Object.assign(call, { outcome: 99 });
      for (const chunk of answer.chunks) Object.assign(chunk, { decision: 99 });
    });
    const shorter = changed((answer) => {
      answer.toolCalls.pop();
      answer.chunks.pop();
    });
    for (const [other, allowed] of [
      [newer, 0],
      [shorter, 1],
    ] as const) {
      const calls = await other.toolCalls([
        { name: "a", arguments: {} },
        { name: "b", arguments: {} },
      ]);
      expect([calls.allowed.length, calls.blocked.length]).toEqual([allowed, 2 - allowed]);
      const passages = await other.retrieval(["Cats sleep.", "Dogs bark."]);
      expect([passages.kept.length, passages.dropped.length]).toEqual([allowed, 2 - allowed]);
    }
  });

  it("judges what a tool returned, and where it is from", async () => {
    const { text } = await guard.toolResult("From: ada@lovelace.dev", { tool: "read_mail" });
    expect(text).toBe("From: [EMAIL_1]");
    await expect(guard.toolResult("project bluebird")).rejects.toMatchObject({ stage: "tool_result" });
  });

  it("keeps, rewrites and drops retrieved passages", async () => {
    const passages = [
      { text: "Cats sleep.", page: 1 },
      { text: "About project bluebird", page: 2, origin: "wiki" },
      { text: "By ada@lovelace.dev", page: 3 },
    ];
    const { kept, dropped } = await guard.retrieval(passages);
    expect(kept).toEqual([passages[0], { text: "By [EMAIL_1]", page: 3 }]);
    expect(dropped).toEqual([passages[1]]);
    expect((await guard.retrieval(["Cats sleep.", "project bluebird"])).kept).toEqual(["Cats sleep."]);
    expect((await guard.retrieval([])).kept).toEqual([]);
  });

  it("judges a stream while it comes, however it is cut", async () => {
    const source = "Ada Lovelace says \u{1F44B}, and Ada Lovelace again.";
    for (const size of [1, 5, 200]) {
      const stream = guard.stream();
      expect(await collect(piecesOf(source, size).pipeThrough(stream))).toBe(
        "[NAME_1] says \u{1F44B}, and [NAME_1] again.",
      );
      expect(await stream.decision).toMatchObject({ outcome: "REDACT" });
    }
    const empty = guard.stream();
    expect(await collect(piecesOf("").pipeThrough(empty))).toBe("");
    expect(await empty.decision).toMatchObject({ outcome: "ALLOW" });
  });

  it("ends a stream at a block, after what was safe, and stops the model", async () => {
    let given = 0;
    let isStopped = false;
    async function* model() {
      try {
        yield "The name is project blue";
        yield "bird, which";
        for (; given < 100_000; given++) yield " goes on and on";
      } finally {
        isStopped = true;
      }
    }
    const stream = guard.stream();
    let text = "";
    const read = async () => {
      for await (const part of readableOf(model()).pipeThrough(stream)) text += part;
    };
    await expect(read()).rejects.toMatchObject({ name: "BlockedError", stage: "output" });
    expect(text).toBe("The name is ");
    expect(await stream.decision).toMatchObject({ outcome: "BLOCK", message: "I can't talk about that." });
    expect(isStopped).toBe(true);
    expect(given).toBeLessThan(100_000);
  });

  it("puts originals back into a stream, also where a placeholder is cut", async () => {
    const chat = guard.session(crypto.randomUUID(), { restore: true });
    await chat.input("I am ada@lovelace.dev");
    const source = "Dear [EMAIL_1], [see] [1] and [EMAIL_9";
    for (const size of [1, 4, 100]) {
      expect(await collect(piecesOf(source, size).pipeThrough(chat.stream()))).toBe(
        "Dear ada@lovelace.dev, [see] [1] and [EMAIL_9",
      );
    }
  });

  it("ends a stream when its reader, its source or the caller's signal does", async () => {
    const endless = () =>
      readableOf(
        (async function* () {
          for (;;) yield "more and more ";
        })(),
      );
    const left = guard.stream();
    const reader = endless().pipeThrough(left).getReader();
    await reader.read();
    await reader.cancel(new Error("seen enough"));
    await expect(left.decision).rejects.toThrow("seen enough");

    const broken = readableOf(
      (async function* () {
        yield "so far ";
        throw new Error("the model failed");
      })(),
    );
    await expect(collect(broken.pipeThrough(guard.stream()))).rejects.toThrow("the model failed");

    const stop = new AbortController();
    const stopped = endless()
      .pipeThrough(guard.stream({ signal: stop.signal }))
      .getReader();
    await stopped.read();
    stop.abort(new Error("the person left"));
    await expect(
      (async () => {
        for (;;) await stopped.read();
      })(),
    ).rejects.toThrow("the person left");
    await expect(guard.input("x", { signal: stop.signal })).rejects.toThrow("the person left");
  });

  it("replaces halves of characters, which no text may have", async () => {
    expect((await guard.input("a\ud83d b ada@lovelace.dev")).text).toBe("a\ufffd b [EMAIL_1]");
    expect(await collect(streamOf(["a\ud83d", "\ude00 b\udc00", "c\ud83d"]).pipeThrough(guard.stream()))).toBe(
      "a\u{1F600} b\ufffdc\ufffd",
    );
  });

  it("sends its context with each call", async () => {
    records.length = 0;
    const asking = createGuard(options({ agentId: "support-bot", metadata: { release: "7" } }));
    const chat = asking.session("s-1", { user: { id: "u-1", roles: ["member"] }, model: { provider: "x", name: "m" } });
    const { decision } = await chat.input("hello");
    await collect(piecesOf("hello").pipeThrough(chat.stream()));
    expect(records).toHaveLength(2);
    expect(records[0]).toMatchObject({ evaluationId: decision.evaluationId });
    for (const record of records) {
      expect(record).toMatchObject({ agentId: "support-bot", sessionId: "s-1", metadata: { release: "7" } });
    }
  });

  it("says when the call itself is wrong, whatever happens to others", async () => {
    for (const onUnavailable of ["block", "allow"] as const) {
      const stranger = createGuard(options({ token: "gr_rt_x", onUnavailable }));
      await expect(stranger.input("x")).rejects.toMatchObject({ name: "RequestError", reason: "unauthenticated" });
      await expect(collect(piecesOf("x").pipeThrough(stranger.stream()))).rejects.toBeInstanceOf(RequestError);
      const elsewhere = createGuard(options({ url: `${stage.url}/elsewhere`, onUnavailable }));
      await expect(elsewhere.input("x")).rejects.toMatchObject({ name: "RequestError", reason: "unknown_path" });
    }
    await expect(guard.input("x", { agentId: "no such name!" })).rejects.toMatchObject({ reason: "validation_failed" });
  });

  it("blocks, or lets pass, when no decision can be made", async () => {
    const away = await closedUrl();
    const careful = createGuard(options({ url: away }));
    await expect(careful.input("x")).rejects.toMatchObject({ name: "UnavailableError", reason: "unreachable" });
    const error = await collect(piecesOf("x").pipeThrough(careful.stream())).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnavailableError);

    const lenient = createGuard(options({ url: away, onUnavailable: "allow", sessionId: "s", restore: true }));
    const { text, decision } = await lenient.input("ada@lovelace.dev");
    expect({ text, outcome: decision.outcome }).toEqual({ text: "ada@lovelace.dev", outcome: "ALLOW" });
    expect(decision.unavailable).toBeInstanceOf(UnavailableError);
    expect((await lenient.output("to [EMAIL_1]")).text).toBe("to [EMAIL_1]");
    expect((await lenient.retrieval(["a", "b"])).kept).toEqual(["a", "b"]);
    expect((await lenient.toolCalls([{ name: "f", arguments: {} }])).allowed).toHaveLength(1);
    const stream = lenient.stream();
    expect(await collect(piecesOf("all of it, unjudged").pipeThrough(stream))).toBe("all of it, unjudged");
    expect((await stream.decision).unavailable).toBeInstanceOf(UnavailableError);
  });

  it("waits for a runtime that does not answer no longer than it was told", async () => {
    const silent = await silentUrl();
    const impatient = createGuard(options({ url: silent, timeoutMs: 200 }));
    await expect(impatient.input("x")).rejects.toMatchObject({ name: "UnavailableError", reason: "deadline_exceeded" });
    const stream = impatient.stream();
    await expect(collect(piecesOf("x").pipeThrough(stream))).rejects.toMatchObject({ reason: "deadline_exceeded" });
    await expect(stream.decision).rejects.toBeInstanceOf(UnavailableError);
    // Neither for the end of a text that it does not take.
    const pieces = async function* () {
      for (;;) yield "x".repeat(65_536);
    };
    await expect(collect(readableOf(pieces()).pipeThrough(impatient.stream()))).rejects.toMatchObject({
      reason: "deadline_exceeded",
    });
  });

  it("says that a runtime has no bundle yet", async () => {
    const empty = await startEvaluateStage();
    try {
      const early = createGuard(options({ url: empty.url, token: empty.tokenOf("runtime"), retries: 1 }));
      await expect(early.input("x")).rejects.toMatchObject({ name: "UnavailableError", reason: "bundle_unavailable" });
    } finally {
      await empty.stop();
    }
  });
});

describe("a call that fails for the moment", () => {
  /** Fetch that fails so many times before it works. */
  const flaky = (failures: number, fail: () => Promise<Response>): { readonly fetch: typeof fetch; calls: number } => {
    const counted = {
      calls: 0,
      fetch: (input: string | URL | Request, init?: RequestInit) =>
        counted.calls++ < failures ? fail() : fetch(input, init),
    };
    return counted;
  };

  it("is repeated, and is one evaluation", async () => {
    const lost = flaky(2, () => Promise.reject(new TypeError("fetch failed")));
    const refused = flaky(2, async () => new Response("busy", { status: 503 }));
    for (const network of [lost, refused]) {
      records.length = 0;
      // A request that arrives although its answer is lost.
      let ids: string[] = [];
      const guard = createNodeGuard(options({ fetch: network.fetch }));
      const { decision } = await guard.input("hello");
      ids = records.map(({ evaluationId }) => evaluationId);
      expect(ids).toEqual([decision.evaluationId]);
      expect(network.calls).toBe(3);
    }
  });

  it("keeps the id of its evaluation when an answer is lost", async () => {
    records.length = 0;
    let calls = 0;
    const losing: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      await response.arrayBuffer();
      if (calls++ === 0) throw new TypeError("terminated");
      return fetch(input, init);
    };
    await createFetchGuard(options({ fetch: losing })).input("hello");
    expect(records.length).toBeGreaterThan(1);
    expect(new Set(records.map(({ evaluationId }) => evaluationId)).size).toBe(1);
  });

  it("is given up after so many attempts, and is not repeated for what repeating cannot help", async () => {
    const dead = flaky(100, () => Promise.reject(new TypeError("fetch failed")));
    await expect(createFetchGuard(options({ fetch: dead.fetch, retries: 3 })).input("x")).rejects.toBeInstanceOf(
      UnavailableError,
    );
    expect(dead.calls).toBe(4);
    const wrong = flaky(0, () => Promise.reject(new TypeError("fetch failed")));
    await expect(createFetchGuard(options({ fetch: wrong.fetch, token: "gr_rt_x" })).input("x")).rejects.toBeInstanceOf(
      RequestError,
    );
    expect(wrong.calls).toBe(1);
  });

  it("lets the rest of a stream pass when its runtime goes, if it may and nothing was rewritten", async () => {
    const failing = (after: number): typeof fetch => {
      let chunks = 0;
      return async (input, init) => {
        const isChunk = String(input).endsWith("PushStreamChunk");
        if (isChunk && ++chunks > after) throw new TypeError("fetch failed");
        return fetch(input, init);
      };
    };
    const pieces = () => streamOf(["One sentence. ", "Then another one. ", "And the ", "last."]);
    const lenient = createFetchGuard(options({ onUnavailable: "allow", fetch: failing(2) }));
    const stream = lenient.stream();
    expect(await collect(pieces().pipeThrough(stream))).toBe("One sentence. Then another one. And the last.");
    expect((await stream.decision).unavailable).toBeInstanceOf(UnavailableError);

    const strict = createFetchGuard(options({ fetch: failing(2) }));
    await expect(collect(pieces().pipeThrough(strict.stream()))).rejects.toBeInstanceOf(UnavailableError);

    const rewritten = createFetchGuard(options({ onUnavailable: "allow", fetch: failing(1) }));
    const text = streamOf(["Ada Lovelace was here, and then ", "went."]);
    await expect(collect(text.pipeThrough(rewritten.stream()))).rejects.toBeInstanceOf(UnavailableError);
  });
});

describe("a stream over HTTP/2", () => {
  /** A way to the runtime that tears off the first connections, after so many bytes. */
  async function tearingUrl(times: number, afterBytes: number): Promise<string> {
    const { hostname, port } = new URL(stage.url);
    let torn = 0;
    const server = createTcpServer((socket) => {
      const target = connect(Number(port), hostname);
      for (const each of [socket, target]) each.on("error", () => undefined);
      const isTorn = torn < times;
      torn += 1;
      let seen = 0;
      socket.on("data", (bytes) => {
        seen += bytes.length;
        if (isTorn && seen > afterBytes) socket.destroy();
        else target.write(bytes);
      });
      if (!isTorn) target.pipe(socket);
      socket.on("close", () => target.destroy());
      target.on("close", () => socket.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    afterAll(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** A guard that goes this way, and how often it began a call. */
  function counted(url: string, change: Partial<GuardOptions> = {}) {
    const count = { calls: 0 };
    const interceptor: Interceptor = (next) => (request) => {
      count.calls += 1;
      return next(request);
    };
    return { count, guard: createNodeGuard(options({ url, interceptors: [interceptor], ...change })) };
  }

  it.each([0, 300])("is begun again when its runtime goes after %d bytes, with all of its text", async (afterBytes) => {
    const { guard, count } = counted(await tearingUrl(1, afterBytes));
    const text = "By Ada Lovelace, and all of it.";
    expect(await collect(piecesOf(text).pipeThrough(guard.stream()))).toBe("By [NAME_1], and all of it.");
    expect(count.calls).toBe(2);
  });

  it("is given up after so many attempts, and its text passes where it may", async () => {
    const url = await tearingUrl(Number.POSITIVE_INFINITY, 0);
    const strict = counted(url, { retries: 1 });
    await expect(collect(piecesOf("text").pipeThrough(strict.guard.stream()))).rejects.toMatchObject({
      ...{ name: "UnavailableError", reason: "unreachable" },
    });
    expect(strict.count.calls).toBe(2);
    const lenient = counted(url, { retries: 1, onUnavailable: "allow" });
    expect(await collect(piecesOf("all of it").pipeThrough(lenient.guard.stream()))).toBe("all of it");
  });

  it("is not begun again after more text than is kept", async () => {
    const { guard, count } = counted(await tearingUrl(1, 1_000));
    const text = streamOf(["x".repeat(65_537)]);
    await expect(collect(text.pipeThrough(guard.stream()))).rejects.toBeInstanceOf(UnavailableError);
    expect(count.calls).toBe(1);
  });
});

async function closedUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

/** A server that takes connections and says nothing. */
async function silentUrl(): Promise<string> {
  const sockets = new Set<{ destroy(): void }>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${port}`;
}
