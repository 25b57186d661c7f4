// Judges as `policy-guard benchmark run` asks them: what names them, and what counts as an answer.

import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { type Judge, type JudgeServer, readJudges } from "../../src/cli/benchmark/judge.ts";
import { type JudgeCalls, openJudge } from "../../src/cli/benchmark/judge-call.ts";
import { newFolder, removeFolders } from "./run.ts";

const opened: JudgeCalls[] = [];
const servers: Server[] = [];

afterEach(() => {
  for (const calls of opened.splice(0)) calls.close();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});
afterAll(removeFolders);

const findings = (...found: object[]) => JSON.stringify({ results: [{ findings: found }] });

/** A server that answers like this, as a judge. */
async function served(
  answer: RequestListener,
  { header, ...more }: Partial<Judge> & Partial<Pick<JudgeServer, "header">> = {},
): Promise<JudgeCalls> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  servers.push(server);
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  return open({ at: { url: `http://127.0.0.1:${port}/v1/detect`, shape: "policy-guard", header }, ...more });
}

/** A program that does this with each question, as a judge. */
function program(body: string, more: Partial<Judge> = {}): JudgeCalls {
  const source = `require("node:readline").createInterface({input: process.stdin}).on("line", (line) => {
    const {id, texts} = JSON.parse(line); const say = (answer) => console.log(JSON.stringify(answer)); ${body} });`;
  const path = join(newFolder({ "judge.cjs": source }), "judge.cjs");
  return open({ at: { command: [process.execPath, path] }, ...more });
}

function open(judge: Partial<Judge> & Pick<Judge, "at">): JudgeCalls {
  const calls = openJudge({ key: "a", categories: undefined, threshold: 0.5, timeoutMs: 120_000, ...judge }, {});
  opened.push(calls);
  return calls;
}

test("asks a model that answers yes or no each question of its preset", async () => {
  const guidelines: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const { guideline } = JSON.parse(body).chat_template_kwargs;
      guidelines.push(guideline);
      const content = guideline.startsWith('"No Harassment"') ? "Yes" : "No";
      response.end(JSON.stringify({ choices: [{ message: { content }, finish_reason: "stop" }] }));
    });
  }).listen(0, "127.0.0.1");
  servers.push(server);
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const file = `judges: [{key: a, url: "http://127.0.0.1:${port}/", shape: yes-no-guard, preset: shieldgemma}]`;
  const [judge] = readJudges({ judge: undefined, judges: join(newFolder({ "judges.yaml": file }), "judges.yaml") }, {});
  if (judge === undefined) throw new Error("the file names a judge");
  expect(judge.categories).toMatchObject({ harassment: "content_safety.harassment" });
  const answer = await open(judge).ask(["You fool.", "Hello."]);
  expect(guidelines.length).toBe(8);
  const scores = { dangerous_content: 0, harassment: 1, hate_speech: 0, sexually_explicit: 0 };
  const findings = Object.entries(scores).map(([label, score]) => ({ label, score }));
  expect(answer).toEqual({ findings: [findings, findings] });
});

test("reads the findings of a server, which gets the texts and its secret", async () => {
  let got: unknown;
  const answer: RequestListener = (request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      got = { body: JSON.parse(body), key: request.headers["x-key"] };
      response.end(findings({ label: "INJECTION", score: 0.9, start: 0, end: 3 }));
    });
  };
  const calls = await served(answer, { header: { name: "X-Key", value: "secret" } });
  expect(await calls.ask(["one"])).toEqual({ findings: [[{ label: "INJECTION", score: 0.9, start: 0, end: 3 }]] });
  expect(got).toEqual({ body: { texts: ["one"] }, key: "secret" });
});

test.each<[string, RequestListener, string]>([
  ["another status", (_, response) => response.writeHead(500).end(findings()), "refused"],
  ["a redirect", (_, response) => response.writeHead(302, { location: "/elsewhere" }).end(), "refused"],
  ["no JSON", (_, response) => response.end("fine"), "invalid_answer"],
  ["too few results", (_, response) => response.end('{"results": []}'), "invalid_answer"],
  ["a score above 1", (_, response) => response.end(findings({ label: "a", score: 2 })), "invalid_answer"],
  ["an answer without an end", (_, response) => endless(response), "invalid_answer"],
  ["a broken connection", (request) => request.socket.destroy(), "unreachable"],
])("takes %s for no answer", async (_, answer, failure) => {
  expect(await (await served(answer)).ask(["one"])).toMatchObject({ failure });
});

function endless(response: NodeJS.WritableStream): void {
  const piece = Buffer.alloc(1 << 20, "a");
  const write = () => {
    while (response.writable && response.write(piece));
    if (response.writable) response.once("drain", write);
  };
  response.on("error", () => undefined);
  write();
}

test("takes a server that is silent, or not there, for no answer", async () => {
  const silent = await served(() => undefined, { timeoutMs: 50 });
  expect(await silent.ask(["one"])).toMatchObject({ failure: "timeout" });
  const gone = open({ at: { url: "http://127.0.0.1:1/", shape: "policy-guard", header: undefined } });
  expect(await gone.ask(["one"])).toMatchObject({ failure: "unreachable" });
});

test("asks a program, which is started anew after it was late, wrong or has ended", async () => {
  const calls = program(`
    if (texts[0] === "end") process.exit(3);
    if (texts[0] === "stale") say({id: id - 1, results: [{findings: []}]});
    else if (texts[0] === "twice") console.log("{}\\n{}");
    else if (texts[0] === "word") console.log("fine");
    else say({id, results: texts.map((text) => ({findings: [{label: text, score: 1}]}))});
  `);
  const fine = { findings: [[{ label: "one", score: 1 }], [{ label: "two", score: 1 }]] };
  expect(await calls.ask(["one", "two"])).toEqual(fine);
  for (const [text, failure] of [
    ["end", "ended"],
    ["stale", "invalid_answer"],
    ["twice", "invalid_answer"],
    ["word", "invalid_answer"],
  ] as const) {
    expect(await calls.ask([text]), text).toMatchObject({ failure });
    expect(await calls.ask(["one", "two"]), text).toEqual(fine);
  }
  const late = program("", { timeoutMs: 50 });
  expect(await late.ask(["one"])).toMatchObject({ failure: "timeout" });
  const absent = open({ at: { command: [join(newFolder(), "absent")] } });
  expect(await absent.ask(["one"])).toMatchObject({ failure: "unreachable" });
});

test("reads judges from lines and files, secrets from the environment", () => {
  const path = join(
    newFolder({
      "judges.yaml": `judges:
  - key: other
    url: https://guard.example.com/classify
    shape: hf-text-classification
    header: {name: Authorization, variable: OTHER_KEY}
    categories: {INJECTION: injection}
    threshold: 0.9
    timeout_ms: 500
  - {key: own, command: [node, ask.mjs]}
`,
    }),
    "judges.yaml",
  );
  const judge = "a=http://127.0.0.1:8095/v1/detect:policy-guard, b=https://b.example.com:presidio";
  expect(readJudges({ judge, judges: path }, { OTHER_KEY: "Bearer s" })).toEqual([
    {
      ...{ key: "a", categories: undefined, threshold: 0.5, timeoutMs: 10_000 },
      at: { url: "http://127.0.0.1:8095/v1/detect", shape: "policy-guard", header: undefined },
    },
    {
      ...{ key: "b", categories: undefined, threshold: 0.5, timeoutMs: 10_000 },
      at: { url: "https://b.example.com/", shape: "presidio", header: undefined },
    },
    {
      ...{ key: "other", categories: { INJECTION: "injection" }, threshold: 0.9, timeoutMs: 500 },
      at: {
        ...{ url: "https://guard.example.com/classify", shape: "hf-text-classification" },
        header: { name: "Authorization", value: "Bearer s" },
      },
    },
    { key: "own", at: { command: ["node", "ask.mjs"] }, categories: undefined, threshold: 0.5, timeoutMs: 10_000 },
  ]);
});

test.each<[string, string]>([
  ["{key: a}", "either `url` with `shape`, or `command`"],
  ["{key: a, url: 'http://a', shape: grpc}", "the shape is one of policy-guard"],
  ["{key: a, url: 'ftp://a', shape: fms}", "http or https URL"],
  ["{key: a, url: 'http://me:pw@a', shape: fms}", "without credentials"],
  ["{key: a, url: 'http://a', shape: yes-no-guard}", "one of granite-guardian, granite-guardian-3.3, shieldgemma"],
  ["{key: a, url: 'http://a', shape: yes-no-guard, preset: llama-guard-3}", "one of granite-guardian"],
  ["{key: a, url: 'http://a', shape: fms, preset: shieldgemma}", "none fits"],
  ["{key: a, command: [a], preset: shieldgemma}", "belong to a `url`"],
  ["{key: a, url: 'http://a', shape: fms, header: {name: X-Key, value: secret}}", "`variable`"],
  ["{key: a, url: 'http://a', shape: fms, header: {name: X-Key, variable: NONE}}", "NONE is not set"],
  ["{key: a b, command: [x]}", "a key is"],
  ["{key: a, command: []}", "a list of a program"],
  ["{key: a, command: [x], treshold: 1}", '"treshold" is none of'],
  ["{key: a, command: [x], threshold: 2}", "`threshold` is a number"],
  ["{key: a, command: [x], categories: {A: 1}}", "`categories`"],
])("refuses the judge %s", (judge, message) => {
  const path = join(newFolder({ "judges.yaml": `- ${judge}\n` }), "judges.yaml");
  expect(() => readJudges({ judges: path }, {})).toThrow(message);
});

test("refuses judges that are too many, named twice, or not named", () => {
  const line = (key: string) => `${key}=http://127.0.0.1/:fms`;
  expect(() => readJudges({ judge: `${line("a")},${line("a")}` }, {})).toThrow("two judges are named a");
  expect(() => readJudges({ judge: [..."abcdefghi"].map(line).join(",") }, {})).toThrow("at most 8");
  expect(() => readJudges({ judge: "http://127.0.0.1/" }, {})).toThrow("KEY=URL:SHAPE");
  expect(readJudges({}, {})).toEqual([]);
});
