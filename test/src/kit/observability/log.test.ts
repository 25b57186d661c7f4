import { expect, test } from "vitest";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { CredentialKind } from "../../../../gen/policyguard/options/v1/options_pb.ts";
import { newToken } from "../../../../src/kit/crypto/token.ts";
import { Fault } from "../../../../src/kit/fault/fault.ts";
import { createLog } from "../../../../src/kit/observability/log.ts";

function capture() {
  const lines: string[] = [];
  const log = createLog({ name: "test", level: "info", destination: { write: (line) => void lines.push(line) } });
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? "null") };
}

test("a line is one JSON object with time, level, name and message", () => {
  const { log, last } = capture();
  log.child({ request_id: "r1" }).info({ code: "ok" }, "call");
  expect(last()).toMatchObject({ level: "info", name: "test", request_id: "r1", code: "ok", msg: "call" });
  expect(new Date(last().time).getTime()).toBeGreaterThan(0);
});

test("lines below the level are not written", () => {
  const { log, lines } = capture();
  log.debug("nothing");
  expect(lines).toEqual([]);
});

test.each(["authorization", "Authorization", "x-api-key", "cookie", "set-cookie", "password", "secret", "token"])(
  "the value of %s is masked at every depth",
  (key) => {
    const { log, lines, last } = capture();
    log.info({ [key]: 'open"sesame', a: { b: { c: { d: { [key]: ["open sesame", "open"] } } } }, kept: "kept" });
    expect(lines[0]).not.toMatch(/open|sesame/);
    expect(last().kept).toBe("kept");
    expect(last().a.b.c.d[key]).toBe("[masked]");
  },
);

test("tokens of every kind are masked everywhere, also in errors and after a line break", () => {
  const { log, lines } = capture();
  for (const kind of [
    CredentialKind.RUNTIME,
    CredentialKind.CI,
    CredentialKind.ADMIN,
    CredentialKind.SCIM,
    CredentialKind.MEMBER,
  ]) {
    const token = newToken(kind);
    log.info({ url: `/x?token=${token}`, err: new Error(`bad:\n${token}`) }, `got ${token}`);
    expect(lines.at(-1)).not.toContain(token.slice(-30));
  }
  expect(lines).toHaveLength(5);
  expect(() => lines.map((line) => JSON.parse(line))).not.toThrow();
});

test("an error is logged with its stack, the context of a Fault, and every cause", () => {
  const { log, last } = capture();
  const system = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
  log.error({ err: new Fault(Reason.UNAVAILABLE, "database away", { cause: system, context: { pool: 3 } }) }, "failed");
  const { err } = last();
  expect(err).toMatchObject({ type: "Fault", message: "database away", context: { pool: 3 } });
  expect(err.stack).toContain("log.test.ts");
  expect(err.cause).toMatchObject({ type: "Error", message: "refused", code: "ECONNREFUSED" });
});

test("a circular chain of causes is cut", () => {
  const { log, last } = capture();
  const error = new Error("round");
  error.cause = error;
  log.error({ err: error });
  expect(last().err.message).toBe("round");
});
