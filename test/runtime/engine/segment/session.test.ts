import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Outcome, Stage, Trust } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import {
  advance,
  emptyLedger,
  type SessionLedger,
  type SessionView,
  sessionLimits,
  unknownSession,
} from "../../../../runtime/engine/segment/session.ts";
import { ask, engineOf } from "../sample-engine.ts";

const flow = `rules:
  - {id: key, stages: [input, tool_result], detect: secrets, action: BLOCK}
  - {id: mail, stages: [input], detect: pii, action: FLAG}
  - id: exfil
    stages: [tool_call]
    when: tool.name == "send_email" && session.saw("tool_result", "untrusted")
    action: BLOCK
`;
const known = (ledger: Partial<SessionLedger> = {}): SessionView => ({
  known: true,
  ledger: { ...emptyLedger, ...ledger },
});
const call = { toolCalls: [{ id: "c", name: "send_email" }] };

describe("rules over the history of a session", () => {
  it("follow the history from one evaluation to the next", () => {
    const engine = engineOf([flow]);
    const calling = (ledger: SessionLedger) =>
      ask(engine, call, { stage: Stage.TOOL_CALL, session: known(ledger) }).response.outcome;
    expect(calling(emptyLedger)).toBe(Outcome.ALLOW);
    const page = ask(engine, { text: "a page of the web" }, { stage: Stage.TOOL_RESULT, session: known() });
    const ledger = advance(emptyLedger, page.sessionUpdate());
    expect(calling(ledger)).toBe(Outcome.BLOCK);
    const trusted = { segments: [{ text: "our own page", trust: Trust.TRUSTED }] };
    const own = ask(engine, trusted, { stage: Stage.TOOL_RESULT, session: known() });
    expect(calling(advance(emptyLedger, own.sessionUpdate()))).toBe(Outcome.ALLOW);
  });

  it("do not count blocked content as seen", () => {
    const engine = engineOf([flow]);
    const { sessionUpdate } = ask(engine, { text: "KEY-1" }, { stage: Stage.TOOL_RESULT, session: known() });
    expect(sessionUpdate()).toEqual({ ...emptyLedger, turns: 1, blocks: 1, categories: { "secrets.key": 1 } });
  });

  it.each([undefined, unknownSession])("are unjudged in an unknown session, and follow their on_error", (session) => {
    const context = { stage: Stage.TOOL_CALL, session };
    const closed = ask(engineOf([flow]), call, context);
    expect(closed.response.outcome).toBe(Outcome.BLOCK);
    expect(closed.unjudged).toMatchObject([{ detector: "exfil", reason: "session_unknown" }]);
    const open = ask(
      engineOf([
        flow.replace("action: BLOCK\n", "action: BLOCK\n").replace(/(send_email.*\n)/, "$1    on_error: fail_open\n"),
      ]),
      call,
      context,
    );
    expect(open.response.outcome).toBe(Outcome.ALLOW);
    expect(open.unjudged).toMatchObject([{ reason: "session_unknown" }]);
    // A rule that does not read the session is judged as usual.
    expect(ask(engineOf([flow]), { text: "KEY-1" }, { session }).response.outcome).toBe(Outcome.BLOCK);
    expect(ask(engineOf([flow]), { text: "KEY-1" }, { session }).unjudged).toEqual([]);
  });

  it("count turns, blocks and findings, and know tools, origins and categories", () => {
    const condition = (when: string) => engineOf([`rules: [{id: r, stages: [input], when: '${when}', action: FLAG}]`]);
    const session = known({
      turns: 3,
      blocks: 1,
      seen: ["input/untrusted"],
      tools: ["search"],
      origins: ["tool:web"],
      categories: { "pii.email": 2, "pii.phone": 1, "secrets.key": 5 },
    });
    for (const [when, holds] of [
      ["session.turns == 3 && session.blocks == 1", true],
      ['session.saw("input")', true],
      ['session.saw("input", "trusted")', false],
      ['session.found("pii.*") == 3', true],
      ['session.found("injection.*") > 0', false],
      ['"search" in session.tools && session.origins.exists(o, o.startsWith("tool:"))', true],
      ['"pii.phone" in session.categories', true],
    ] as const) {
      const outcome = ask(condition(when), { text: "x" }, { session }).response.outcome;
      expect([when, outcome]).toEqual([when, holds ? Outcome.FLAG : Outcome.ALLOW]);
    }
  });
});

describe("a ledger", () => {
  const text = fc.stringMatching(/^[a-f]{0,3}$/);
  const ledgers: fc.Arbitrary<SessionLedger> = fc.record({
    turns: fc.nat(5),
    blocks: fc.nat(5),
    seen: fc.array(text, { maxLength: 4 }),
    origins: fc.array(text, { maxLength: 4 }),
    tools: fc.array(text, { maxLength: 4 }),
    categories: fc.dictionary(text, fc.nat(3), { maxKeys: 4 }),
  });

  it("is independent of the order in which updates arrive", () => {
    fc.assert(
      fc.property(ledgers, ledgers, ledgers, (a, b, c) => {
        expect(advance(advance(advance(emptyLedger, a), b), c)).toEqual(
          advance(advance(advance(emptyLedger, c), a), b),
        );
      }),
      { seed: 20261120, numRuns: 1000 },
    );
  });

  it("is bounded for any session", () => {
    const many = Array.from({ length: 1000 }, (_, index) => `name-${index}`);
    const update = {
      ...emptyLedger,
      turns: 2 ** 30,
      tools: [...many, "x".repeat(10_000)],
      categories: Object.fromEntries(many.map((name) => [name, 2 ** 30])),
    };
    const ledger = [1, 2, 3].reduce((sum) => advance(sum, update), emptyLedger);
    expect(ledger.turns).toBe(sessionLimits.count);
    expect(ledger.tools).toHaveLength(sessionLimits.names);
    expect(Object.keys(ledger.categories)).toHaveLength(sessionLimits.names);
    expect(JSON.stringify(ledger).length).toBeLessThan(32_768);
  });
});
