import { execFileSync } from "node:child_process";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { ownAddress } from "../../console/data/search.ts";
import { exportCommand as evidenceCommand, filterOf, queryOf } from "../../console/page/evidence/carried.ts";
import { evidenceSearch } from "../../console/page/evidence/search.ts";
import { replaySearch } from "../../console/page/replay/search.ts";
import { exportCommand, replayOf } from "../../console/page/trace/carried.ts";
import { chips, type TraceSearch, traceSearch } from "../../console/page/trace/search.ts";
import { evidenceExport } from "../../src/cli/command/evidence/export.ts";
import { tracesExport } from "../../src/cli/command/traces-export.ts";

test("an address says what the page looks at; unknown values and defaults are dropped", () => {
  expect(traceSearch({ range: "7d", outcome: "BLOCK", environment: "prod", rule: "pii.email", trace: "t1" })).toEqual({
    range: "7d",
    outcome: "BLOCK",
    environment: "prod",
    rule: "pii.email",
    trace: "t1",
  });
  expect(traceSearch({ range: "24h", outcome: "block", environment: [], rule: "", other: "x" })).toEqual({});
  // The router reads digits as a number; the name of an environment may be made of them.
  expect(traceSearch({ environment: 4 })).toEqual({ environment: "4" });
  expect(traceSearch({ range: "toString", outcome: ["BLOCK"] })).toEqual({});
});

test("a replay of a list gets each filter of it and its window, and is told which ones it cannot have", () => {
  const choices = { stage: "input", mark: "disputed", would: "FLAG", version: "7", least: "1", most: "2" };
  const window = { since: "2026-11-01T00:00:00.000Z", until: "2026-11-02T00:00:00.000Z" };
  const own = { outcome: "BLOCK", environment: "prod", rule: "r", project: "0191a2b3-0000-7000-8000-000000000001" };
  const all = traceSearch({ ...Object.fromEntries(chips.map((name) => [name, "x"])), ...choices, ...window, ...own });
  expect(Object.keys(all).sort()).toEqual([...chips, ...Object.keys(own)].sort());
  const { session, user, ...carried } = all;
  const readAt = new Date("2026-11-03T12:00:00Z");
  expect([session, user]).toEqual(["x", "x"]);
  expect(replaySearch(replayOf(all, readAt))).toEqual({ new: "yes", ...carried, without: "session user" });
  expect(replaySearch(replayOf({ range: "1h", trace: "t" }, readAt))).toEqual({
    ...{ new: "yes", since: "2026-11-03T11:00:00.000Z", until: "2026-11-03T12:00:00.000Z" },
  });
});

test("the command of an export has each filter of the list, and a shell takes none of them for more than a text", () => {
  const hostile = "it's $(touch x) `id` \"; rm -rf ~\n-v";
  const readAt = new Date("2026-11-03T12:00:00Z");
  const all = { ...Object.fromEntries(chips.map((name) => [name, hostile])), outcome: "BLOCK", rule: hostile };
  const window = { since: "2026-11-01T00:00:00Z", until: "2026-11-02T00:00:00Z" };
  const search = { ...all, environment: "prod", project: "p", ...window } as TraceSearch;
  const values = optionsIn(exportCommand(search, readAt, { format: "jsonl", includesText: true }), tracesExport);
  const { since, until, out, format, "include-text": includesText, env, outcome, project, ...texts } = values;
  expect({ since, until, out, format, includesText, env, outcome, project }).toEqual({
    ...{ since: "2026-11-01T00:00:00.000Z", until: "2026-11-02T00:00:00.000Z", out: "traces.jsonl", format: "jsonl" },
    ...{ includesText: "", env: "prod", outcome: "BLOCK", project: "p" },
  });
  expect(Object.values(texts)).toEqual(Array.from({ length: chips.length - 1 }, () => hostile));
  const entries = evidenceCommand({ actor: hostile, until: "2026-11-02" }, "zip");
  expect(optionsIn(entries, evidenceExport)).toEqual({
    ...{ actor: hostile, until: "2026-11-03T00:00:00.000Z", format: "zip", out: "evidence.zip" },
  });
});

/** The options of a command once a shell has read it; each is one that the help of the command lists. */
function optionsIn(command: string, { help }: { readonly help: string }): Readonly<Record<string, string>> {
  const line = command.replace("policy-guard", `${process.execPath} -p 'JSON.stringify(process.argv.slice(1))' --`);
  const words: string[] = JSON.parse(execFileSync("sh", ["-c", line], { encoding: "utf8" }));
  const options = words.slice(2).map((word) => {
    const [name = ""] = word.split("=");
    expect(help).toMatch(new RegExp(`${name}[ ,]`));
    return [name.slice(2), word.slice(name.length + 1)];
  });
  return Object.fromEntries(options);
}

test("the log of evidence is filtered by days in UTC, of which the last one counts as a whole", () => {
  const search = evidenceSearch({
    action: "policy.update",
    since: "2026-11-01",
    until: "2026-11-02",
    control: "",
    seq: 4,
  });
  expect(search).toEqual({ action: "policy.update", since: "2026-11-01", until: "2026-11-02" });
  expect(evidenceSearch({ since: "yesterday", until: "2026-13-45" })).toEqual({});
  const { since, until, ...texts } = filterOf(search);
  expect(texts).toEqual({ action: "policy.update" });
  expect(since && timestampDate(since).toISOString()).toBe("2026-11-01T00:00:00.000Z");
  expect(until && timestampDate(until).toISOString()).toBe("2026-11-03T00:00:00.000Z");
  expect(queryOf({ actor: "a&b@example.com", until: "2026-11-02" })).toBe(
    "&actor=a%26b%40example.com&until=2026-11-03T00%3A00%3A00.000Z",
  );
  expect(queryOf({})).toBe("");
});

test("an address to go on to is one of this page, and home where it is not", () => {
  expect(["/o/1/traces?range=7d#x", "/"].map(ownAddress)).toEqual(["/o/1/traces?range=7d#x", "/"]);
  const others = [
    "//evil.example",
    "/\\evil.example",
    "https://evil.example",
    "javascript:alert(1)",
    "o/1",
    "",
    undefined,
  ];
  expect(others.map(ownAddress)).toEqual(others.map(() => "/"));
});
