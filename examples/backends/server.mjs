// A detector backend to try things out with, in each of the contracts that runtimes speak. It knows a few words and
// addresses; a real one has a model behind it. It needs Node and nothing else:
//
//   SHAPE=policy-guard PORT=8095 node examples/backends/server.mjs

import { createServer } from "node:http";

/** Label, score and pattern. */
const patterns = [
  ["INJECTION", 0.97, /\b(?:pretend|imagine) (?:that )?you (?:are|have)\b[^.!?]*/gi],
  ["PERSON", 0.85, /\b(?:Ada Lovelace|Grace Hopper|Alan Turing)\b/g],
];

/** What is found in a text, with offsets in UTF-16 code units. */
function detect(text) {
  return patterns.flatMap(([label, score, pattern]) =>
    [...text.matchAll(pattern)].map(({ 0: match, index }) => ({
      label,
      score,
      start: index,
      end: index + match.length,
    })),
  );
}

/** Servers in Python count code points. */
function points(text, { start, end }) {
  return { start: [...text.slice(0, start)].length, end: [...text.slice(0, end)].length };
}

function highest(text, label) {
  return Math.max(0.01, ...detect(text).map((found) => (found.label === label ? found.score : 0)));
}

const shapes = {
  "policy-guard": ({ texts = [] }) => ({ results: texts.map((text) => ({ findings: detect(text) })) }),
  "openai-moderation": ({ input = [] }) => ({
    id: "modr-example",
    model: "example",
    results: input.map((text) => ({
      flagged: highest(text, "INJECTION") > 0.5,
      categories: { illicit: highest(text, "INJECTION") > 0.5 },
      category_scores: { illicit: highest(text, "INJECTION") },
    })),
  }),
  presidio: ({ text = [] }) =>
    text.map((each) =>
      detect(each).map((found) => ({ entity_type: found.label, score: found.score, ...points(each, found) })),
    ),
  "hf-text-classification": ({ inputs = [] }) =>
    inputs.map((text) => [
      { label: "INJECTION", score: highest(text, "INJECTION") },
      { label: "SAFE", score: 1 - highest(text, "INJECTION") },
    ]),
  fms: ({ contents = [] }) =>
    contents.map((text) =>
      detect(text).map((found) => ({
        ...{ detection: found.label, detection_type: "example", score: found.score, evidence: [] },
        text: text.slice(found.start, found.end),
        ...points(text, found),
      })),
    ),
  "tei-predict": ({ inputs = [] }) =>
    inputs.map(([text]) => [
      { score: highest(text, "INJECTION"), label: "INJECTION" },
      { score: 1 - highest(text, "INJECTION"), label: "SAFE" },
    ]),
  "llama-guard": ({ model = "example", messages = [] }) => ({
    ...{ id: "chatcmpl-example", object: "chat.completion", model },
    choices: [choice(isFound(messages) ? "\n\nunsafe\nS14" : "\n\nsafe")],
  }),
  "qwen3-guard": ({ model = "example", messages = [] }) => ({
    ...{ id: "chatcmpl-example", object: "chat.completion", model },
    choices: [choice(isFound(messages) ? "Safety: Unsafe\nCategories: Jailbreak" : "Safety: Safe\nCategories: None")],
  }),
  // One question a call. Whoever wants to know which one it is reads "chat_template_kwargs".
  "yes-no-guard": ({
    model = "example",
    messages = [],
    structured_outputs: {
      choice: [yes, no],
    },
  }) => {
    const score = highest(messages.at(-1).content, "INJECTION");
    const token = (text, share) => ({ token: text, logprob: Math.log(share) });
    const likely = [token(yes, score), token(no, 1 - score)];
    const said = likely[score > 0.5 ? 0 : 1];
    return {
      ...{ id: "chatcmpl-example", object: "chat.completion", model },
      choices: [{ ...choice(said.token), logprobs: { content: [{ ...said, top_logprobs: likely }] } }],
    };
  },
};

function choice(content) {
  return { index: 0, message: { role: "assistant", content }, finish_reason: "stop" };
}

function isFound(messages) {
  return highest(messages.at(-1).content, "INJECTION") > 0.5;
}

const answer = shapes[process.env.SHAPE ?? "policy-guard"];
if (answer === undefined) throw new Error(`SHAPE: expected one of ${Object.keys(shapes).join(", ")}`);
const secret = process.env.SECRET;

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const isKnown = secret === undefined || request.headers.authorization === secret;
    try {
      const body = isKnown ? answer(JSON.parse(Buffer.concat(chunks).toString("utf8"))) : { error: "unauthorized" };
      response.writeHead(isKnown ? 200 : 401, { "content-type": "application/json" }).end(JSON.stringify(body));
    } catch {
      response.writeHead(400, { "content-type": "application/json" }).end('{"error":"bad request"}');
    }
  });
});
server.listen(Number(process.env.PORT ?? 8095), process.env.HOST ?? "127.0.0.1", () => {
  const address = server.address();
  console.log(`detector backend listens on port ${typeof address === "object" ? address?.port : address}`);
});
process.once("SIGTERM", () => server.close());
