// Servers that answer wrongly, by accident or on purpose: whatever is no answer of the contract is a failure, which
// the policy's `on_error` decides about. It is never "nothing found".

import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  type BackendAnswer,
  type BackendReference,
  type LabelMeanings,
  type ServerShape,
  serverShapes,
} from "../../../../runtime/engine/backend/backend.ts";
import { presets } from "../../../../runtime/engine/backend/preset-catalog.ts";
import { Backends } from "../../../../runtime/evaluate/backend/backends.ts";
import { readBackendOrigins } from "../../../../runtime/evaluate/backend/origin.ts";
import { createLog } from "../../../../src/kit/observability/log.ts";

const text = "What a text says.";
const many = (count: number) => Array.from({ length: count }, (_, at) => ({ label: `L${at}`, score: 0 }));

/** An answer of each contract with these labels, without a word about where in the text. */
const answers: Readonly<Record<ServerShape, (found: readonly unknown[]) => unknown>> = {
  "policy-guard": (findings) => ({ results: [{ findings }] }),
  "openai-moderation": (found) => ({
    results: [
      { category_scores: Object.fromEntries(found.map((each) => [member(each, "label"), member(each, "score")])) },
    ],
  }),
  presidio: (found) => [
    found.map((each) => ({ entity_type: member(each, "label"), score: member(each, "score"), start: 0, end: 4 })),
  ],
  "hf-text-classification": (found) => [found],
  fms: (found) => [
    found.map((each) => ({ detection: member(each, "label"), score: member(each, "score"), start: 0, end: 4 })),
  ],
  "tei-predict": (found) => [found],
  "llama-guard": (found) =>
    completion(found.length === 0 ? "safe" : `unsafe\n${found.map((each) => member(each, "label"))}`),
  "qwen3-guard": (found) =>
    completion(
      found.length === 0
        ? "Safety: Safe\nCategories: None"
        : `Safety: Unsafe\nCategories: ${found.map((each) => member(each, "label")).join(", ")}`,
    ),
  "yes-no-guard": (found) => completion(found.length === 0 ? "No" : "Yes"),
};

/** A model that is asked one question. */
const oneQuestion: LabelMeanings = {
  labels: { weapons: "content_safety.weapons" },
  ignore: [],
  questions: { answers: { yes: "Yes", no: "No" }, templates: { weapons: { guideline: "No weapons." } } },
};

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : value;
}

function completion(content: unknown, more: object = {}): unknown {
  return { choices: [{ message: { role: "assistant", content }, finish_reason: "stop", ...more }] };
}

/** Shapes whose findings have scores that the server chooses. */
const scored = serverShapes.filter((shape) => !shape.endsWith("-guard") || shape === "policy-guard");

describe("a server that answers wrongly", () => {
  let listener: RequestListener = () => undefined;
  let origin: string;
  let backends: Backends;
  let count = 0;
  const log = createLog({ name: "test", level: "silent" });
  const warned = vi.spyOn(log, "warn");
  const lastWarning = () => JSON.stringify(warned.mock.lastCall);
  const bodies: unknown[] = [];
  const server = createServer((request, response) => listener(request, response));

  beforeAll(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
    backends = new Backends(readBackendOrigins({ backendOrigins: [origin] }), log);
  });
  afterAll(async () => {
    await backends.close();
    server.closeAllConnections();
    server.close();
  });

  /** What becomes of a text. Each call is to a backend of its own, so that none opens the circuit of another. */
  async function ask(
    shape: ServerShape,
    answer: RequestListener | string,
    more: Partial<BackendReference> = {},
    texts: readonly string[] = [text],
  ): Promise<(BackendAnswer | undefined)[]> {
    listener = typeof answer === "string" ? say(answer) : answer;
    const key = `backend-${count++}`;
    const meanings = shape === "yes-no-guard" ? oneQuestion : undefined;
    const reference = { key, url: `${origin}/x`, shape, timeoutMs: 60_000, authHeader: undefined, meanings, ...more };
    const question = { backend: key, texts, budgetMs: 120_000 };
    const found = await backends.ask([question], new Map([[key, reference]]), performance.now());
    return texts.map((each) => found(key, each));
  }

  function say(body: string | Buffer, status = 200, headers: Readonly<Record<string, string>> = {}): RequestListener {
    return (request: IncomingMessage, response: ServerResponse) => {
      void json(request).then((asked) => {
        bodies.push(asked);
        response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
      });
    };
  }

  const failed = [{ failure: "error" }];

  it.each(serverShapes)(
    "is told from one that finds nothing, and from one that finds something (%s)",
    async (shape) => {
      // Who answers no to a question says it about this label.
      const isAsked = shape === "yes-no-guard";
      const [nothing] = await ask(shape, JSON.stringify(answers[shape]([])));
      expect(nothing).toMatchObject({ findings: isAsked ? [{ label: "weapons", score: 0 }] : [] });
      const label = { "qwen3-guard": "Violent", "yes-no-guard": "weapons" }[shape as string] ?? "S4";
      const [found] = await ask(shape, JSON.stringify(answers[shape]([{ label, score: 0.75 }])));
      expect(found).toMatchObject({ findings: [{ label, score: scored.includes(shape) ? 0.75 : 1 }] });
    },
  );

  it.each(
    serverShapes.flatMap((shape) => [
      ...[
        "{}",
        "[]",
        "null",
        '"safe"',
        "0",
        "true",
        "",
        "<html>safe</html>",
        '{"results": []}',
        "[[], []]",
        "[null]",
      ].map((body) => [shape, body]),
    ]),
  )("breaks the contract %s with %s", async (shape, body) => {
    expect(await ask(shape as ServerShape, body)).toEqual(failed);
  });

  it.each(
    scored.flatMap((shape) =>
      ["NaN", "Infinity", "1e999", "-0.01", "1.01", '"0.9"', "null", "true", "[0.9]", "{}"].map((score) => [
        shape,
        score,
      ]),
    ),
  )("breaks the contract %s with the score %s", async (shape = "", score = "") => {
    const body = JSON.stringify(answers[shape as ServerShape]([{ label: "A", score: "SCORE" }]));
    expect(await ask(shape as ServerShape, body.replace('"SCORE"', score))).toEqual(failed);
  });

  it.each(scored)("has no label that is empty, long or no text, and at most a thousand (%s)", async (shape) => {
    const labels = shape === "openai-moderation" ? ["", "x".repeat(129)] : ["", "x".repeat(129), 7, null, ["A"]];
    for (const label of labels)
      expect(await ask(shape, JSON.stringify(answers[shape]([{ label, score: 0.9 }])))).toEqual(failed);
    expect(await ask(shape, JSON.stringify(answers[shape](many(1_000))))).toMatchObject([{}]);
    expect(await ask(shape, JSON.stringify(answers[shape](many(1_001))))).toEqual(failed);
  });

  it.each(["hf-text-classification", "tei-predict"] as const)("says a label once (%s)", async (shape) => {
    const twice = [
      { label: "A", score: 0.99 },
      { label: "A", score: 0.01 },
    ];
    expect(await ask(shape, JSON.stringify(answers[shape](twice)))).toEqual(failed);
  });

  it("says a member once: of two scores, the reader of JSON would take the last", async () => {
    const body = '{"results": [{"category_scores": {"hate": 0.99, "hate": 0.01}}]}';
    expect(await ask("openai-moderation", body)).toEqual(failed);
    const guard = '{"choices": [{"message": {"content": "unsafe\\nS1", "content": "safe"}, "finish_reason": "stop"}]}';
    expect(await ask("llama-guard", guard)).toEqual(failed);
  });

  it.each(serverShapes)("says no more than 4 MiB, and nests nothing without end (%s)", async (shape) => {
    const whole = JSON.stringify(answers[shape]([]));
    expect(await ask(shape, whole + " ".repeat(4 * 1024 * 1024))).toEqual(failed);
    expect(await ask(shape, "[".repeat(1_000_000) + "]".repeat(1_000_000))).toEqual(failed);
  });

  it.each(serverShapes)("answers with 200, in its own person, and not packed (%s)", async (shape) => {
    const whole = JSON.stringify(answers[shape]([]));
    for (const status of [201, 204, 400, 401, 429, 500, 503])
      expect(await ask(shape, say(status === 204 ? "" : whole, status)), `status ${status}`).toEqual(failed);
    const calls = bodies.length;
    expect(await ask(shape, say(whole, 307, { location: `${origin}/elsewhere` }))).toEqual(failed);
    expect(bodies.length).toBe(calls + 1);
    expect(await ask(shape, say(gzipSync(whole), 200, { "content-encoding": "gzip" }))).toEqual(failed);
    const cut: RequestListener = (_, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write(whole, () => response.destroy());
    };
    expect(await ask(shape, cut)).toEqual(failed);
  });

  it.each(serverShapes)(
    "is not waited for longer than its time, however slowly it goes on talking (%s)",
    async (shape) => {
      const timers: NodeJS.Timeout[] = [];
      const slow: RequestListener = (_, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        timers.push(setInterval(() => response.write(" "), 20));
      };
      expect(await ask(shape, slow, { timeoutMs: 200 })).toEqual([{ failure: "timeout" }]);
      for (const timer of timers) clearInterval(timer);
    },
  );

  it.each(["tei-predict", "hf-text-classification", "openai-moderation"] as const)(
    "answers about each text, in their order (%s)",
    async (shape) => {
      const one = answers[shape]([{ label: "A", score: 0.5 }]);
      const body = JSON.stringify(one);
      expect(await ask(shape, body, {}, ["one", "two"])).toEqual([{ failure: "error" }, { failure: "error" }]);
    },
  );

  it("is asked about texts one by one, where two in a list would be a pair", async () => {
    const body = JSON.stringify([[{ label: "A", score: 0.1 }], [{ label: "A", score: 0.9 }]]);
    const found = await ask("tei-predict", body, {}, ["one", "two"]);
    expect(found).toMatchObject([{ findings: [{ score: 0.1 }] }, { findings: [{ score: 0.9 }] }]);
    expect(bodies.at(-1)).toEqual({ inputs: [["one"], ["two"]], raw_scores: false, truncate: false });
  });

  describe("in place of a verdict", () => {
    it.each([
      ["safe", []],
      ["\n\nsafe\n", []],
      ["unsafe\nS1", ["S1"]],
      ["\n\nunsafe\nS1,S10\n", ["S1", "S10"]],
      ["unsafe\r\nS2, S14", ["S2", "S14"]],
    ])("takes %j", async (content, labels) => {
      const [found] = await ask("llama-guard", JSON.stringify(completion(content)));
      expect(found).toEqual({ findings: labels.map((label) => ({ label, score: 1 })) });
    });

    it.each([
      ...["", "Safe", "SAFE", "safe.", "'safe'", "safe safe", "safe\nS1", "safe\nunsafe\nS1", "not safe", "un safe"],
      ...[
        "unsafe",
        "unsafe\n",
        "unsafe S1",
        "unsafe\nS0",
        "unsafe\nS100",
        "unsafe\nS1,",
        "unsafe\nS1 S2",
        "unsafe\ns1",
      ],
      ...["unsafe\nS1\nS2", "unsafe\nO1", "unsafe\nviolence", "unsafe\nS1,S1", "unsafe\nS1\nsafe", "safe\u0000"],
      ...["I cannot help with that.", "<think>…</think>safe", "ｓａｆｅ", "safe\u00a0", "assistant\n\nsafe"],
    ])("does not take %j", async (content) => {
      expect(await ask("llama-guard", JSON.stringify(completion(content)))).toEqual(failed);
    });

    it.each<[string, unknown]>([
      ["content that is a list", completion([{ type: "text", text: "safe" }])],
      ["content that is null", completion(null)],
      ["content that is true", completion(true)],
      ["a verdict that is cut", completion("unsafe\nS1", { finish_reason: "length" })],
      ["a verdict that was filtered", completion("safe", { finish_reason: "content_filter" })],
      ["a verdict without an end", completion("safe", { finish_reason: null })],
      ["two choices", { choices: [1, 2].map(() => ({ message: { content: "safe" }, finish_reason: "stop" })) }],
      ["no choice", { choices: [] }],
      ["an error", { error: { message: "safe" } }],
    ])("does not take %s", async (_, answer) => {
      expect(await ask("llama-guard", JSON.stringify(answer))).toEqual(failed);
    });

    it("asks one text at a time, the latest first, for the model that the backend names", async () => {
      const found = await ask("llama-guard", JSON.stringify(completion("safe")), { model: "guard:1b" }, ["one", "two"]);
      expect(found).toEqual([{ findings: [] }, { findings: [] }]);
      expect(bodies.slice(-2)).toEqual(
        ["two", "one"].map((content) => ({
          ...{ model: "guard:1b", messages: [{ role: "user", content }] },
          ...{ temperature: 0, max_tokens: 128, stream: false },
        })),
      );
    });
  });

  describe("with a preset", () => {
    const meanings = { labels: { A: "injection.model" }, ignore: ["B"] };
    const found = (...labels: string[]) =>
      JSON.stringify(answers["tei-predict"](labels.map((label) => ({ label, score: 0.9 }))));

    it("finds what the preset calls a finding, by its category", async () => {
      expect(await ask("tei-predict", found("A", "B"), { meanings })).toEqual([
        { findings: [{ label: "A", score: 0.9, category: "injection.model" }] },
      ]);
      expect(await ask("tei-predict", found("B"), { meanings })).toEqual([{ findings: [] }]);
    });

    it("takes no label that the preset does not know, and names it", async () => {
      expect(await ask("tei-predict", found("A", "NEW_LABEL"), { meanings })).toEqual(failed);
      expect(lastWarning()).toContain("its preset does not know NEW_LABEL");
      expect(await ask("tei-predict", found("constructor"), { meanings })).toEqual(failed);
    });

    it("puts no label into the log that may be the text", async () => {
      expect(await ask("tei-predict", found("A patient named Ada"), { meanings })).toEqual(failed);
      expect(lastWarning()).toContain("a label of 19 characters");
    });

    it.each(presets.filter(({ shapes }) => shapes.includes("llama-guard")))(
      "knows every code of its model ($name)",
      async (preset) => {
        const codes = Array.from({ length: 14 }, (_, at) => `S${at + 1}`);
        const answer = JSON.stringify(completion(`unsafe\n${codes}`));
        const [given] = await ask("llama-guard", answer, { meanings: preset });
        expect(given).toMatchObject({ findings: codes.map((label) => ({ label, category: preset.labels[label] })) });
        expect(await ask("llama-guard", JSON.stringify(completion("unsafe\nS15")), { meanings: preset })).toEqual(
          failed,
        );
      },
    );
  });
});
