// The checks that docs/webhooks.md shows to those who write a receiver: copied out of it, and run wherever their
// language is installed. Where it is not, the test is skipped, says why, and counts as skipped.

import { execFileSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it, type TestContext } from "vitest";
import { newSecret, webhookHeaders } from "../../../src/domain/webhook/request.ts";

const document = readFileSync(join(import.meta.dirname, "../../../docs/webhooks.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "policy-guard-receiver-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The contents of the fenced blocks in this language. */
function fenced(language: string): string[] {
  const blocks = document.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"));
  return [...blocks].map(([, content = ""]) => content);
}

function write(name: string, content: string): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

/** Skips the test where there is no such program. */
function need(context: TestContext, program: string, ...parameters: string[]): void {
  try {
    execFileSync(program, parameters, { stdio: "ignore" });
  } catch {
    context.skip(`${program} is not installed here`);
  }
}

const secret = newSecret();
const body = Buffer.from('{"event":"policy.updated","text":"ä"}');
const message = { id: "evt_1", event: "policy.updated", attempt: 1, sentAt: new Date(0), body };
const headers = webhookHeaders({ ...message, secret, previousSecret: undefined });
const signature = headers["X-Webhook-Signature"] ?? "";
const wrong = `sha256=${createHmac("sha256", "another").update(body).digest("hex")}`;

/** Values of the header, null for one that is missing, and whether the delivery is genuine. */
const cases = [
  [signature, true],
  [wrong, false],
  [signature.slice(0, -1), false],
  [signature.toUpperCase(), false],
  [signature.replace("sha256=", ""), false],
  ["ä", false],
  ["", false],
  [null, false],
] as const;
const given = JSON.stringify(cases.map(([value]) => value));
const wanted = cases.map(([, isGenuine]) => isGenuine);

/**
 * What a program says of each value: it gets the secret, the body in base64 and the values, and prints a JSON array.
 */
function verdicts(program: string, ...parameters: string[]): unknown {
  const asked = [...parameters, secret, body.toString("base64"), given];
  return JSON.parse(execFileSync(program, asked, { encoding: "utf8", env: { ...process.env, GO111MODULE: "off" } }));
}

describe("the check in docs/webhooks.md takes our signatures and no others", () => {
  it("in Node", async () => {
    const [source = ""] = fenced("js");
    const { isGenuine } = await import(pathToFileURL(write("check.mjs", source)).href);
    expect(cases.map(([value]) => isGenuine(secret, body, value ?? undefined))).toEqual(wanted);
  });

  it("in Python", (context) => {
    need(context, "python3", "--version");
    const [source = ""] = fenced("python");
    const ask = `
import base64, json, sys
secret, body, given = sys.argv[1], base64.b64decode(sys.argv[2]), json.loads(sys.argv[3])
print(json.dumps([is_genuine(secret, body, value) for value in given]))
`;
    // Pythons of before 3.10 do not know the annotation otherwise.
    const file = write("check.py", `from __future__ import annotations\n${source}${ask}`);
    expect(verdicts("python3", file)).toEqual(wanted);
  });

  it("in Go", (context) => {
    need(context, "go", "version");
    const [source = ""] = fenced("go");
    const ask = `package main

import (
	"encoding/base64"
	"encoding/json"
	"os"
)

func main() {
	body, _ := base64.StdEncoding.DecodeString(os.Args[2])
	var given []string // a missing header is "", as http.Header.Get has it
	_ = json.Unmarshal([]byte(os.Args[3]), &given)
	verdicts := []bool{}
	for _, value := range given {
		verdicts = append(verdicts, IsGenuine(os.Args[1], body, value))
	}
	_ = json.NewEncoder(os.Stdout).Encode(verdicts)
}
`;
    const files = [write("check.go", `package main\n\n${source}`), write("main.go", ask)];
    expect(verdicts("go", "run", ...files)).toEqual(wanted);
  });

  it("in Ruby", (context) => {
    need(context, "ruby", "--version");
    const [source = ""] = fenced("ruby");
    const ask = `
require "json"
secret, body, given = ARGV[0], ARGV[1].unpack1("m"), JSON.parse(ARGV[2])
puts JSON.generate(given.map { |value| genuine?(secret, body, value) })
`;
    expect(verdicts("ruby", write("check.rb", `${source}${ask}`))).toEqual(wanted);
  });
});

describe("the check of Standard Webhooks in docs/webhooks.md", () => {
  it("takes our signatures, of either secret, at their time, and no others", async () => {
    const [, source = ""] = fenced("js");
    const { isGenuineStandard } = await import(pathToFileURL(write("check-standard.mjs", source)).href);
    const [before, other] = [newSecret(), newSecret()];
    const sentAt = new Date("2026-11-20T09:00:00Z");
    const rotated = webhookHeaders({ ...message, sentAt, secret, previousSecret: before });
    const check = (key: string, changed: object = {}, bytes = body, now = sentAt.getTime()) =>
      isGenuineStandard(key, bytes, { ...rotated, ...changed }, now);
    expect([check(secret), check(before), check(other)]).toEqual([true, true, false]);
    expect(check(secret, { "webhook-id": "evt_2" })).toBe(false);
    expect(check(secret, { "webhook-timestamp": String(sentAt.getTime() / 1_000 + 1) })).toBe(false);
    expect(check(secret, {}, Buffer.from("{}"))).toBe(false);
    expect([300_000, 301_000].map((ms) => check(secret, {}, body, sentAt.getTime() + ms))).toEqual([true, false]);
    for (const signatures of ["", "v1,", "v2,AAAA", "ä", undefined]) {
      expect(check(secret, { "webhook-signature": signatures })).toBe(false);
    }
  });
});
