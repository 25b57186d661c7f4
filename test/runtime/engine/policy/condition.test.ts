import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  assertGuarded,
  assertMatchesIsLinear,
  ConditionCompiler,
  isConditionProblem,
} from "../../../../runtime/engine/policy/condition.ts";
import { ConditionFailed } from "../../../../runtime/engine/policy/condition-guard.ts";
import {
  type Facts,
  FindingFacts,
  RequestFacts,
  SegmentFacts,
  SessionFacts,
  SubjectFacts,
  ToolFacts,
} from "../../../../runtime/engine/policy/facts.ts";
import { emptyLedger } from "../../../../runtime/engine/segment/session.ts";

const lists = { own_domains: ["example.com", "example.org"], words: Array.from({ length: 10_000 }, (_, i) => `w${i}`) };
const compiler = new ConditionCompiler(lists);

const facts: Facts = {
  request: new RequestFacts({
    stage: "input",
    agent_id: "a",
    env: "prod",
    session_id: "s",
    language: "de",
    metadata: { tier: "gold", n: 4 },
  }),
  segment: new SegmentFacts({ id: "s1", role: "user", origin: "end_user", trust: "untrusted", text: "hello aaa" }),
  subject: new SubjectFacts("u1", ["customer", "red-team"], { region: "EU" }),
  session: new SessionFacts(emptyLedger),
  findings: [],
  lists,
  tool: new ToolFacts("send_email", { to: "x@example.com", cc: ["a", "b"], n: 4.5 }),
  finding: new FindingFacts(
    { category: "pii.email", start: 1, end: 3, score: 0.9, layer: "plain", attributes: { domain: "example.com" } },
    "pii",
    "s1",
  ),
};

function compile(source: string) {
  const condition = compiler.compile(source);
  if (isConditionProblem(condition)) throw new Error(condition.message);
  return condition;
}

function refusal(source: string) {
  const condition = compiler.compile(source);
  return isConditionProblem(condition) ? condition : undefined;
}

describe("conditions", () => {
  it.each([
    'segment.trust == "untrusted" && segment.length == 9',
    "finding.domain in lists.own_domains",
    'finding.attributes["domain"] == "example.com" && finding.country == ""',
    'subject.roles.exists(r, r == "red-team")',
    'tool.name == "send_email" && tool.args.to.endsWith("@example.com") && tool.args.n > 4',
    'tool.args.cc.exists(c, c == "b") && !has(tool.args.bcc)',
    'request.metadata.tier == "gold" && request.language == "de" && request.stage == "input"',
    'segment.text.matches("a{3}$") && !segment.text.matches("^a")',
    "finding.score > 0.5 && finding.start < finding.end && size(findings) == 0",
  ])("%s holds", (source) => {
    expect(compile(source).holds(facts)).toBe(true);
  });

  it.each([
    ['segment.text.matches("a" + "b")', 21, "literal pattern"],
    ["segment.text.matches(segment.id)", 21, "literal pattern"],
    ['segment.text.matches("(")', 21, "not an RE2 expression"],
    ['segment.text.matches("(?=a)")', 21, "not an RE2 expression"],
    ['segment.text.matches("[a-z]{900}")', 0, "times as long"],
    [`segment.id.matches("${"a".repeat(513)}")`, 19, "longer than 512"],
    ['segment.text.matchesLinear("a")', 0, "unknown method"],
    ['cel.bind(x, segment.text, x == "")', 0, "unknown method"],
    ['segment.text.split("").size() > 1', 0, "unknown method"],
    ['timestamp("2020-01-01T00:00:00Z") == timestamp(0)', 0, "unknown function"],
    ["segment.text", 0, "expected a condition (bool), found string"],
    ['1 + "a" == 2', 0, "no such overload"],
    ["findings.exists(a, findings.exists(b, findings.exists(c, true)))", 38, "nested deeper"],
    ["lists.words.exists(w, segment.text.contains(w))", 0, "times as long"],
    ['findings.map(f, segment.text + "x").exists(x, x.contains("q"))', 16, "1,048,577 characters"],
    [`["aaaaaaaa"]${".map(x, x+x+x)".repeat(15)}[0].size() > 0`, 132, "104,976 characters, and 65,536 are allowed"],
    [`[[0]]${".map(x, x+x)".repeat(14)}[0].size() > 0`, 157, "8,192 elements, and 4,096 are allowed"],
    [`[b"ab"]${".map(x, x+x)".repeat(16)}[0].size() > 0`, 195, "131,072 characters"],
    [`(["ab"]${".map(x, x+x)".repeat(16)} + ["a"]).exists(x, x == "a")`, 195, "131,072 characters"],
    ["lists.words.map(w, w).size() > 0", 0, "map() builds here could have 10,000 elements"],
    ["(lists.words + lists.words).size() > 0", 1, "20,000 elements"],
    ['dyn(segment.text) + "x" == "x"', 0, "1,048,577 characters"],
    [`(true ? segment : segment).text + "x" == "x"`, 1, "1,048,577 characters"],
    // Few large values do not save a comparison of what branches at each step.
    [`[0]${".map(x, [x, x, x])".repeat(20)} == [1]${".map(x, [x, x, x])".repeat(20)}`, 0, "times as long"],
    ["lists.words.exists(w, lists.words.exists(v, v == w))", 0, "times as long"],
    ["tool.args.l.exists(x, tool.args.l.exists(y, x == y))", 0, "times as long"],
    ["1 ==", 4, "Unexpected"],
    [`${"!".repeat(5000)}true`, 32, ""],
    [`${"(".repeat(500)}true${")".repeat(500)}`, 32, ""],
  ])("%s is refused at its place", (source, offset, message) => {
    const problem = refusal(source);
    expect(problem?.message).toContain(message);
    if (message !== "") expect(problem?.part.start).toBe(offset);
  });

  it.each([
    ["lists.own_domain.size() == 1", 'did you mean "own_domains"?'],
    ["finding.domian == ''", 'did you mean "domain"?'],
    ["subjct.user_id == ''", 'did you mean "subject"?'],
    ["text == ''", 'did you mean "segment.text"?'],
    ["request.user_id == ''", 'did you mean "subject.user_id"?'],
    ["segment.text.contians('a')", 'did you mean "contains"?'],
    ["finding.domain = 'a'", 'did you mean "=="?'],
    ["finding.score > 0.5 & finding.score < 0.9", 'did you mean "&&"?'],
    ["finding.score > 0.5 | finding.score < 0.9", 'did you mean "||"?'],
  ])("%s gets a suggestion", (source, suggestion) => {
    expect(refusal(source)?.suggestion).toBe(suggestion);
  });

  it("fails without a value when an argument was not sent or has another type", () => {
    for (const source of [
      'tool.args.nothing == "x"',
      "tool.args.n.startsWith('4')",
      "tool.args.to",
      "int(tool.args.to) == 1",
    ]) {
      expect(() => compile(source).holds(facts), source).toThrow(ConditionFailed);
    }
  });

  it("never reaches the library's backtracking matcher", () => {
    expect(assertMatchesIsLinear).not.toThrow();
    const evil = compile('segment.text.matches("^(a+)+$")');
    const segment = new SegmentFacts({ id: "", role: "", origin: "", trust: "", text: `${"a".repeat(200_000)}!` });
    const began = performance.now();
    expect(evil.holds({ ...facts, segment })).toBe(false);
    // A backtracking matcher would need 2^200000 steps; the bound is generous to slow machines.
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it.each([
    'lists.words.exists(w, finding.domain.endsWith("." + w))',
    'lists.own_domains.map(d, "@" + d).exists(d, tool.args.to.endsWith(d)) == false',
    'tool.args.n + 1 > 4.0 && tool.args.to + "," + tool.args.to == "x"',
    'findings.map(f, f.category + "/" + f.domain).size() == 0',
    'lists.words.filter(w, w.startsWith("w1")).size() > 0 && segment.text.trim().lowerAscii() == "x"',
  ])("%s is cheap enough", (source) => {
    expect(refusal(source)).toBeUndefined();
  });

  it("refuse a sum that the request makes too large, at every place in the condition", () => {
    expect(assertGuarded).not.toThrow();
    const condition = compile("[tool.args.long].map(x, x + x).exists(x, x == 1)");
    const tool = (length: number) => new ToolFacts("t", { long: "x".repeat(length) });
    expect(condition.holds({ ...facts, tool: tool(32_768) })).toBe(false);
    expect(() => condition.holds({ ...facts, tool: tool(32_769) })).toThrow(
      expect.objectContaining({ reason: "condition_too_expensive" }),
    );
  });

  it("end with the time of the evaluation, which they ask for now and then, and not for each element", () => {
    const condition = compile("lists.words.all(w, lists.own_domains.exists(d, d == w) || true)");
    let asked = 0;
    expect(condition.holds(facts, () => ++asked < 0)).toBe(true);
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThan(20);
    expect(() => condition.holds(facts, () => true)).toThrow(expect.objectContaining({ reason: "timeout" }));
    expect(condition.holds(facts)).toBe(true);
  });

  it("never throws while compiling", () => {
    const word = fc.constantFrom(
      ...'segment . text matches ( "a" ) && || ! [ ] { } : ? 1 2.5 finding findings exists x , lists tool args == in true'.split(
        " ",
      ),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        compiler.compile(words.join(""));
      }),
      { seed: 20261120, numRuns: 3000 },
    );
  });
});
