// The guard for Python against a runtime: the same promises as those of test/src/client/guard.test.ts.

import { execFile, execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EvaluateVectorSchema } from "../../gen/policyguard/testing/v1/evaluate_vector_pb.ts";
import { bundleOf, type EvaluateStage, startEvaluateStage } from "../harness/vector/evaluate-stage.ts";

const yaml = [
  "detectors:",
  "  words: {use: keywords, keywords: [project bluebird]}",
  "  mail: {use: pii, entities: [EMAIL]}",
  "rules:",
  "  - {id: secret, stages: [input, output, tool_call, tool_result, retrieval], detect: words, action: BLOCK, message: Not that.}",
  "  - {id: mail, stages: [input, tool_call, tool_result, retrieval], detect: mail, action: REDACT, redact: {reversible: true}}",
];

const program = `
import json, os, sys
sys.path.insert(0, sys.argv[1])
from guard import *

guard = Guard(url=sys.argv[2], token=sys.argv[3], timeout=60, context={"agent_id": "py"})
chat = guard.session("py-1", restore=True)
said = {}

def caught(call):
    try:
        result = call()
        return list(result) if hasattr(result, "__next__") else result
    except GuardError as error:
        return [type(error).__name__, getattr(error, "reason", getattr(error, "stage", None)), str(error)]

def stream(guard, text, size):
    return "".join(guard.stream(text[i : i + size] for i in range(0, len(text), size)))

said["input"] = [chat.input("I am ada@lovelace.dev \\N{GRINNING FACE}").text, chat.input("hello").decision["outcome"]]
said["output"] = chat.output("To [EMAIL_1] and [EMAIL_7]").text
said["json"] = chat.restore({"to": ["[EMAIL_1]", 7, None]})
said["other session"] = guard.session("py-2", restore=True).output("To [EMAIL_1]").text
said["blocked"] = caught(lambda: guard.input("project bluebird"))
calls = [
    {"id": "a", "name": "send", "arguments": {"to": "[EMAIL_1]"}},
    {"id": "b", "name": "send", "arguments": {"to": "project bluebird"}},
]
judged = chat.tool_calls(calls)
said["calls"] = [judged.allowed, judged.blocked]
said["result"] = [guard.tool_result("By bob@lovelace.dev", tool="mail").text, caught(lambda: guard.tool_result("project bluebird"))[1]]
passages = guard.retrieval(["Cats.", "project bluebird", "By bob@lovelace.dev"])
said["passages"] = [passages.kept, passages.dropped]
said["streams"] = [stream(chat, "Dear [EMAIL_1], [1] and [EMAIL_9", size) for size in (1, 4, 100)]

pulled = []
def endless():
    yield "It is project blue"
    yield "bird."
    while True:
        pulled.append(1)
        yield " more"

released = []
def read():
    for piece in guard.stream(endless()):
        released.append(piece)
said["stream block"] = [caught(read), "".join(released), len(pulled) < 5]

said["token"] = caught(lambda: Guard(url=sys.argv[2], token="gr_rt_x").input("x"))[:2]
said["address"] = caught(lambda: Guard(url=sys.argv[2] + "/no", token=sys.argv[3]).input("x"))[:2]
away = Guard(url="http://127.0.0.1:9", token="x")
said["away"] = caught(lambda: away.input("x"))[:2]
lenient = replace(away, on_unavailable="allow")
said["lenient"] = [lenient.input("x").text, type(lenient.input("x").unavailable).__name__, stream(lenient, "all of it", 2), lenient.retrieval(["a"]).kept]

class Failing(Guard):
    """A guard whose runtime goes after three chunks."""
    def _call(self, path, body, retries=None):
        if path.endswith("/chunks"):
            counted.append(path)
            if len(counted) > 3:
                raise UnavailableError("unreachable", "gone")
        return super()._call(path, body, retries)

def gone(pieces, on_unavailable):
    counted.clear()
    failing = Failing(url=sys.argv[2], token=sys.argv[3], timeout=60, on_unavailable=on_unavailable)
    got = []
    try:
        for piece in failing.stream(pieces, stage="input"):
            got.append(piece)
        return "".join(got)
    except GuardError as error:
        return type(error).__name__

class Newer(Guard):
    """A guard whose runtime answers what this version does not know."""
    def _call(self, path, body, retries=None):
        return {"outcome": "QUARANTINE", "tool_calls": [{"id": "a", "outcome": "QUARANTINE"}], "chunks": [{"id": "p0", "decision": "hide"}]}

newer = Newer(url="", token="")
unknown = newer.tool_calls(calls)
said["newer"] = [caught(lambda: newer.input("x"))[0], unknown.allowed, len(unknown.blocked), newer.retrieval(["a", "b"]).kept]

counted = []
sentences = ["One sentence. ", "Then another one. ", "And ", "the ", "last."]
mails = ["I am ada@lovelace.dev. ", "I am ada@lovelace.dev. " * 60, "More. ", "And more."]
said["gone"] = [gone(sentences, "allow"), gone(sentences, "block"), gone(mails, "allow")]
halves = [chr(0xD83D), chr(0xDE00)]
said["halves"] = [
    "".join(guard.stream(["a" + halves[0], halves[1] + "b", halves[1], "c" + halves[0]])),
    guard.input("a" + halves[0]).decision["outcome"],
    guard.output("".join(halves)).decision["outcome"],
    guard.retrieval([halves[1]]).kept == [halves[1]],
]
print(json.dumps(said))
`;

function isThere(command: string): boolean {
  try {
    execFileSync(command, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

let stage: EvaluateStage;

beforeAll(async () => {
  stage = await startEvaluateStage();
  await stage.adopt(await bundleOf(create(EvaluateVectorSchema, { policies: [{ yaml }] })));
});

afterAll(() => stage.stop());

describe("examples/tutorial/python/guard.py", () => {
  it.skipIf(!isThere("python3"))("keeps the promises of the guard, where python3 is installed", async () => {
    const folder = join(resolve(import.meta.dirname, "../.."), "examples/tutorial/python");
    const parameters = ["-B", "-c", program, folder, stage.url, stage.tokenOf("runtime") ?? ""];
    const { stdout } = await promisify(execFile)("python3", parameters);
    expect(JSON.parse(stdout)).toEqual({
      input: ["I am [EMAIL_1] \u{1F600}", "ALLOW"],
      output: "To ada@lovelace.dev and [EMAIL_7]",
      json: { to: ["ada@lovelace.dev", 7, null] },
      "other session": "To [EMAIL_1]",
      blocked: ["BlockedError", "input", "Not that."],
      calls: [
        [{ id: "a", name: "send", arguments: { to: "ada@lovelace.dev" } }],
        [{ id: "b", name: "send", arguments: { to: "project bluebird" } }],
      ],
      result: ["By [EMAIL_1]", "tool_result"],
      passages: [["Cats.", "By [EMAIL_1]"], ["project bluebird"]],
      streams: Array(3).fill("Dear ada@lovelace.dev, [1] and [EMAIL_9"),
      "stream block": [["BlockedError", "output", "Not that."], "It is ", true],
      token: ["RequestError", "unauthenticated"],
      address: ["RequestError", "unknown_path"],
      away: ["UnavailableError", "unreachable"],
      lenient: ["x", "UnavailableError", "all of it", ["a"]],
      newer: ["BlockedError", [], 2, []],
      gone: ["One sentence. Then another one. And the last.", "UnavailableError", "UnavailableError"],
      halves: ["a\u{1F600}b\ufffdc\ufffd", "ALLOW", "ALLOW", true],
    });
  });
});
