import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../../../src/kit/fault/fault.ts";
import { whyNotListening, whyNotStarted } from "../../../../src/kit/process/start-failure.ts";

const place = { shown: "port 80 (PORT)", host: "10.9.9.9", ports: "PORT", hosts: "HOST" };

describe("why something does not start", () => {
  it.each([
    ["EADDRINUSE", "port 80 (PORT) is taken by another program; set PORT to another one"],
    ["EACCES", "port 80 (PORT) needs privileges that this user does not have; set PORT to one from 1024 on"],
    ["EADDRNOTAVAIL", "HOST: this machine has no address 10.9.9.9"],
    ["EMFILE", "cannot listen on port 80 (PORT) of 10.9.9.9 (EMFILE)"],
  ])("is the cause that the system names: %s", (code, line) => {
    expect(whyNotListening(code, place)).toBe(line);
  });

  it("names the variables of a port that is taken", async () => {
    const server = createServer();
    const error = await new Promise((resolve) => server.once("error", resolve).listen(65_000, "198.51.100.7"));
    expect(whyNotStarted(error, { ports: "PORT" })).toBe(
      "HOST or MANAGEMENT_HOST: this machine has no address 198.51.100.7",
    );
  });

  it.each([
    ["a refusal of ours", new Fault(Reason.NOT_FOUND, "no account has the address a@example.com"), /^no account/],
    [
      "a reason behind a reason",
      new Error("the database cannot be used", { cause: new Error("no route") }),
      /: no route$/,
    ],
    [
      "several addresses that were tried",
      new Error("the database cannot be used", { cause: new AggregateError([new Error("connect ECONNREFUSED ::1")]) }),
      /: connect ECONNREFUSED ::1$/,
    ],
  ])("is one line when it is %s", (_, error, line) => {
    expect(whyNotStarted(error)).toMatch(line);
    expect(whyNotStarted(error)).not.toContain("\n");
  });

  it("shows a stack only for a defect of the product", () => {
    expect(whyNotStarted(new TypeError("x is not a function"))).toMatch(/TypeError: x is not a function\n\s+at /);
  });
});
