// Guardian models behind a real server: what they are asked, what they are held to, and which of their answers is one.

import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { BackendAnswer, LabelMeanings, ServerShape } from "../../../../runtime/engine/backend/backend.ts";
import { presetOf, presets } from "../../../../runtime/engine/backend/preset-catalog.ts";
import { Backends } from "../../../../runtime/evaluate/backend/backends.ts";
import { readBackendOrigins } from "../../../../runtime/evaluate/backend/origin.ts";
import { createLog } from "../../../../src/kit/observability/log.ts";

/** The body of a call. */
interface Asked {
  readonly model?: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly max_tokens: number;
  readonly logprobs?: boolean;
  readonly top_logprobs?: number;
  readonly chat_template_kwargs?: Readonly<Record<string, unknown>>;
  readonly structured_outputs?: { readonly choice?: readonly string[]; readonly regex?: string };
  readonly grammar?: string;
}

/** A token with its logarithm and what else might have been said. */
function token(text: string, likely: Readonly<Record<string, number>>) {
  const entries = Object.entries(likely).map(([each, share]) => ({ token: each, logprob: Math.log(share) }));
  const own = likely[text];
  return { token: text, logprob: own === undefined ? -9 : Math.log(own), top_logprobs: entries };
}

function completion(content: unknown, more: object = {}) {
  return { choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop", ...more }] };
}

function withTokens(content: string, ...tokens: readonly unknown[]) {
  return completion(content, { logprobs: { content: tokens } });
}

describe("a guardian model", () => {
  let answerTo: (asked: Asked) => unknown = () => completion("");
  let asked: Asked[] = [];
  let backends: Backends;
  let origin: string;
  let count = 0;
  /** Calls without an answer yet, whose caller still waits. */
  let open = 0;
  const listener: RequestListener = (request, response) => {
    open += 1;
    response.once("close", () => {
      open -= 1;
    });
    void json(request).then(async (body) => {
      const call = body as Asked; // what the product sends
      asked.push(call);
      const answer = await answerTo(call);
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
  };
  const server = createServer(listener);

  beforeAll(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
    backends = new Backends(
      readBackendOrigins({ backendOrigins: [origin] }),
      createLog({ name: "test", level: "silent" }),
    );
  });
  beforeEach(() => {
    asked = [];
  });
  afterAll(async () => {
    await backends.close();
    server.closeAllConnections();
    server.close();
  });

  async function ask(
    shape: ServerShape,
    answer: unknown | ((asked: Asked) => unknown),
    meanings: LabelMeanings | undefined,
    texts: readonly string[] = ["How do I build one?"],
  ): Promise<(BackendAnswer | undefined)[]> {
    answerTo = typeof answer === "function" ? (answer as (asked: Asked) => unknown) : () => answer;
    const key = `guard-${count++}`;
    const reference = {
      ...{ key, url: `${origin}/v1/chat/completions`, shape, timeoutMs: 60_000, authHeader: undefined },
      ...{ model: "guard:2b", meanings },
    };
    const found = await backends.ask(
      [{ backend: key, texts, budgetMs: 120_000 }],
      new Map([[key, reference]]),
      performance.now(),
    );
    return texts.map((each) => found(key, each));
  }

  const failed = [{ failure: "error" }];
  const two: LabelMeanings = {
    labels: { weapons: "content_safety.weapons", hate: "content_safety.hate" },
    ignore: [],
    questions: {
      answers: { yes: "Yes", no: "No" },
      templates: { weapons: { guideline: "No weapons." }, hate: { guideline: "No hate." } },
    },
  };
  const one: LabelMeanings = {
    ...two,
    questions: { answers: { yes: "Yes", no: "No" }, templates: { weapons: { guideline: "No weapons." } } },
  };

  describe("that answers with yes or no", () => {
    it("is asked one question for each label, and held to its two words", async () => {
      const byLabel = ({ chat_template_kwargs }: Asked) =>
        completion(chat_template_kwargs?.guideline === "No weapons." ? "Yes" : "No");
      expect(await ask("yes-no-guard", byLabel, two)).toEqual([
        {
          findings: [
            { label: "weapons", score: 1, category: "content_safety.weapons" },
            { label: "hate", score: 0, category: "content_safety.hate" },
          ],
        },
      ]);
      expect(asked.map(({ chat_template_kwargs }) => chat_template_kwargs?.guideline).sort()).toEqual([
        "No hate.",
        "No weapons.",
      ]);
      expect(asked[0]).toMatchObject({
        ...{ model: "guard:2b", messages: [{ role: "user", content: "How do I build one?" }] },
        ...{ temperature: 0, max_tokens: 16, stream: false, logprobs: true, top_logprobs: 20 },
        ...{ structured_outputs: { choice: ["Yes", "No"] }, grammar: 'root ::= "Yes" | "No"' },
      });
    });

    it("is asked about each text by itself", async () => {
      const byText = ({ messages: [message] }: Asked) => completion(message?.content === "bad" ? "Yes" : "No");
      const found = await ask("yes-no-guard", byText, one, ["bad", "good"]);
      expect(found).toMatchObject([{ findings: [{ score: 1 }] }, { findings: [{ score: 0 }] }]);
      expect(asked.length).toBe(2);
    });

    it.each<[string, unknown, number]>([
      ["yes is likelier", withTokens("Yes", token("Yes", { Yes: 0.8, No: 0.2 })), 0.8],
      ["no is likelier", withTokens("No", token("No", { Yes: 0.1, No: 0.9 })), 0.1],
      [
        "spellings of both count",
        withTokens("Yes", token("Yes", { Yes: 0.3, " yes": 0.1, No: 0.3, NO: 0.1, Maybe: 0.2 })),
        0.5,
      ],
      ["others share the rest", withTokens("Yes", token("Yes", { Yes: 0.06, No: 0.02, I: 0.9 })), 0.75],
      ["no is not among the likely ones", withTokens("Yes", token("Yes", { Yes: 0.9 })), 1],
      [
        "its own token is not among the likely ones",
        withTokens("No", { ...token("No", { Yes: 0.5 }), logprob: Math.log(0.5) }),
        0.5,
      ],
      ["its end is a token too", withTokens("Yes", token("Yes", { Yes: 0.8, No: 0.2 }), token("", { "": 1 })), 0.8],
      ["no probabilities are told", completion("Yes", { logprobs: null }), 1],
    ])("scores the share of yes: %s", async (_, answer, score) => {
      const [found] = await ask("yes-no-guard", answer, one);
      expect(found).toMatchObject({ findings: [{ label: "weapons", score: expect.closeTo(score, 9) }] });
    });

    it("finds its word within what the grammar puts around it", async () => {
      const tagged: LabelMeanings = {
        ...one,
        questions: {
          answers: { yes: "<score> yes </score>", no: "<score> no </score>" },
          templates: { weapons: { guardian_config: { criteria_id: "weapons" }, think: false } },
        },
      };
      const tokens = ["<", "score", ">", " yes", " </", "score", ">"].map((each) =>
        token(each, each === " yes" ? { " yes": 0.7, " no": 0.3 } : { [each]: 1 }),
      );
      const [found] = await ask("yes-no-guard", withTokens("<score> yes </score>", ...tokens), tagged);
      expect(found).toMatchObject({ findings: [{ score: expect.closeTo(0.7, 9) }] });
      expect(asked[0]?.grammar).toBe('root ::= "<score> yes </score>" | "<score> no </score>"');
      expect(await ask("yes-no-guard", completion("Yes"), tagged)).toEqual(failed);
    });

    it.each<[string, unknown]>([
      ...["", "yes", "YES", "Yes.", "Yes, it does.", "Yes\nNo", "Y", "Maybe", "safe", "Ｙｅｓ", "I cannot help."].map(
        (content): [string, unknown] => [JSON.stringify(content), completion(content)],
      ),
      ["an answer that was cut", completion("Yes", { finish_reason: "length" })],
      ["an answer that was filtered", completion("No", { finish_reason: "content_filter" })],
      ["content that is null", completion(null)],
      ["content that is a list", completion([{ type: "text", text: "No" }])],
      ["two choices", { choices: [1, 2].map(() => ({ message: { content: "No" }, finish_reason: "stop" })) }],
      ["no choice", { choices: [] }],
      ["tokens that say no beside a text that says yes", withTokens("Yes", token("No", { Yes: 0.2, No: 0.8 }))],
      ["a word that is cut into tokens", withTokens("No", token("N", { N: 1 }), token("o", { o: 1 }))],
      ["two words that decide", withTokens("No", token("No", { No: 1 }), token("No", { No: 1 }))],
      ["no tokens", withTokens("No")],
      ["probabilities that are no list", completion("No", { logprobs: { content: "No" } })],
      ["probabilities without alternatives", withTokens("No", { token: "No", logprob: 0 })],
      ["a logarithm above zero", withTokens("No", token("No", { No: 1.5, Yes: 0.1 }))],
      ["a logarithm in words", withTokens("No", { ...token("No", {}), logprob: "0" })],
      [
        "two probabilities of the token",
        withTokens("No", { token: "No", logprob: 0, top_logprobs: [{ token: "No", logprob: -9 }] }),
      ],
      [
        "a token twice",
        withTokens("No", {
          ...{ token: "No", logprob: -1 },
          top_logprobs: ["No", "Yes", "No"].map((each) => ({ token: each, logprob: -1 })),
        }),
      ],
      ["probabilities of more than one together", withTokens("Yes", token("Yes", { Yes: 0.9, No: 0.9 }))],
      ["more than any verdict has", completion(`No${" ".repeat(5_000)}`)],
      ["nothing likely", withTokens("No", { token: "No", logprob: -9_999, top_logprobs: [] })],
    ])("is not understood when it gives %s", async (_, answer) => {
      expect(await ask("yes-no-guard", answer, one)).toEqual(failed);
    });

    it("has said nothing when one of its answers is none", async () => {
      const half = ({ chat_template_kwargs }: Asked) =>
        completion(chat_template_kwargs?.guideline === "No hate." ? "Yes" : "I would rather not say.");
      expect(await ask("yes-no-guard", half, two)).toEqual(failed);
    });

    it("is left alone with the other questions when one of its answers is none", async () => {
      // An answer that never comes.
      const held = new Promise(() => undefined);
      const half = ({ chat_template_kwargs }: Asked) =>
        chat_template_kwargs?.guideline === "No hate." ? completion("Perhaps.") : held;
      expect(await ask("yes-no-guard", half, two)).toEqual(failed);
      await expect.poll(() => open, { timeout: 30_000 }).toBe(0);
    });

    it("is not asked without questions", async () => {
      expect(await ask("yes-no-guard", completion("No"), { labels: { a: "x.y" }, ignore: [] })).toEqual(failed);
      expect(await ask("yes-no-guard", completion("No"), undefined)).toEqual(failed);
      expect(asked).toEqual([]);
    });
  });

  it("is asked about each text of a long request, the latest first", async () => {
    const texts = Array.from({ length: 300 }, (_, at) => `text ${at}`);
    const found = await ask("llama-guard", completion("safe"), undefined, texts);
    expect(found).toEqual(texts.map(() => ({ findings: [] })));
    expect(asked.length).toBe(300);
    const order = asked.map(({ messages }) => texts.indexOf(messages[0]?.content ?? ""));
    // Sixteen connections carry them side by side.
    expect(Math.min(...order.slice(0, 16))).toBeGreaterThan(200);
    expect(Math.max(...order.slice(-16))).toBeLessThan(100);
  });

  describe("that answers with a grade and categories", () => {
    const meanings: LabelMeanings = {
      labels: { Violent: "content_safety.violence", "Suicide & Self-Harm": "content_safety.self_harm" },
      ignore: ["Politically Sensitive Topics"],
    };

    it.each<[string, unknown]>([
      ["Safety: Safe\nCategories: None", []],
      ["\nSafety: Safe\r\nCategories: None\n", []],
      ["Safety: Unsafe\nCategories: Violent", [{ label: "Violent", score: 1, category: "content_safety.violence" }]],
      [
        "Safety: Controversial\nCategories: Violent, Suicide & Self-Harm",
        [
          { label: "Violent", score: 0.5, category: "content_safety.violence" },
          { label: "Suicide & Self-Harm", score: 0.5, category: "content_safety.self_harm" },
        ],
      ],
      ["Safety: Unsafe\nCategories: Politically Sensitive Topics", []],
    ])("takes %j", async (content, findings) => {
      expect(await ask("qwen3-guard", completion(content), meanings)).toEqual([{ findings }]);
    });

    it.each([
      ...["", "Safe", "safe", "Safety: Safe", "Safety: safe\nCategories: None", "Categories: None\nSafety: Safe"],
      ...["Safety: Safe\nCategories: Violent", "Safety: Safe\nCategories: None, None", "Safety: Safe\nCategories: "],
      ...["Safety: Unsafe\nCategories: None", "Safety: Unsafe\nCategories: ", "Safety: Unsafe"],
      ...["Safety: Unsafe\nCategories: Violent,", "Safety: Unsafe\nCategories: Violent, None"],
      ...["Safety: Unsafe\nCategories: Violent, Violent", "Safety: Unsafe\nCategories: Something New"],
      ...["Safety: Fine\nCategories: None", "Safety: Safe\nCategories: None\nRefusal: No", "Safety: Safe Unsafe"],
      ...["Safety: Safe\nCategories: None\nSafety: Unsafe\nCategories: Violent", "<think>…</think>Safety: Safe"],
      // The cost of reading grows with the length, so that it has a bound.
      `Safety: Safe\nCategories: None${" ".repeat(5_000)}`,
    ])("does not take %j", async (content) => {
      expect(await ask("qwen3-guard", completion(content), meanings)).toEqual(failed);
    });

    it("is held to the categories of its preset", async () => {
      const preset = presetOf("qwen3guard");
      await ask("qwen3-guard", completion("Safety: Safe\nCategories: None"), preset);
      const [{ grammar = "", structured_outputs: { regex = "" } = {} } = {}] = asked;
      const whole = new RegExp(`^(?:${regex})$`);
      const names = Object.keys(preset?.labels ?? {});
      expect(names.filter((each) => !grammar.includes(JSON.stringify(each)))).toEqual([]);
      expect(whole.test("Safety: Safe\nCategories: None")).toBe(true);
      expect(whole.test(`Safety: Unsafe\nCategories: ${names.join(", ")}`)).toBe(true);
      for (const wrong of ["Safety: Safe\nCategories: Violent", "Safety: Unsafe\nCategories: None", "Safety: Safe"])
        expect(whole.test(wrong), wrong).toBe(false);
      // Whoever follows the grammar is understood, whatever it says.
      for (const grade of ["Controversial", "Unsafe"])
        expect(
          await ask("qwen3-guard", completion(`Safety: ${grade}\nCategories: ${names.join(", ")}`), preset),
        ).toEqual([
          { findings: names.map((label) => expect.objectContaining({ label, category: preset?.labels[label] })) },
        ]);
    });

    it("is held to nothing where nobody says its categories", async () => {
      const found = await ask("qwen3-guard", completion("Safety: Unsafe\nCategories: Data Theft"), undefined);
      expect(found).toEqual([{ findings: [{ label: "Data Theft", score: 1 }] }]);
      expect(asked[0]).not.toHaveProperty("grammar");
    });
  });

  describe.each(presets.filter(({ questions }) => questions !== undefined))("of the preset $name", (preset) => {
    const { answers = { yes: "", no: "" }, templates = {} } = preset.questions ?? {};

    it("is asked about each of its labels, and understood in both words", async () => {
      expect(Object.keys(templates).sort()).toEqual(Object.keys(preset.labels).sort());
      const [found] = await ask("yes-no-guard", completion(answers.yes), preset);
      expect(found).toEqual({
        findings: Object.entries(preset.labels).map(([label, category]) => ({ label, category, score: 1 })),
      });
      expect(new Set(asked.map((each) => JSON.stringify(each.chat_template_kwargs))).size).toBe(
        Object.keys(preset.labels).length,
      );
      const [nothing] = await ask("yes-no-guard", completion(answers.no), preset);
      expect(nothing).toMatchObject({ findings: Object.keys(preset.labels).map((label) => ({ label, score: 0 })) });
    });
  });
});
