import { describe, expect, test } from "vitest";
import { readOperatorArguments } from "../../src/operator-arguments.ts";

describe("the arguments of the operator", () => {
  test.each([
    [[], "operator: the verb is missing"],
    [["frobnicate"], 'there is no verb "frobnicate"; it is one of create-organization, list, show, set-plan'],
    [["set-plan", "org", "growth", "--frob"], "there is no option --frob"],
    [["set-limit", "org"], 'set-limit takes an organization\'s id and a limit or "default", and got 1'],
    [["create-organization", "Acme"], "create-organization needs --owner"],
    [["set-limit", "org", "1", "--evaluations", "5"], "set-limit takes no --evaluations"],
    [["block", "org"], "block needs --reason"],
    [["replay-provider-events"], "replay-provider-events needs --since"],
    [["reconcile", "--since", "2027-01-31"], "reconcile takes no --since"],
    [["list", "all"], "list takes no arguments, and got 1"],
  ])("%j is 2, says what is wrong, and how it is called", (args, what) => {
    const read = readOperatorArguments(args);
    expect(read).toMatchObject({ exitCode: 2, text: expect.stringContaining(what) });
    expect(read).toMatchObject({ text: expect.stringContaining("usage: npm run operator -- <verb>") });
  });

  test.each([[["--help"]], [["set-plan", "-h"]]])("%j is the usage, and no failure", (args) => {
    expect(readOperatorArguments(args)).toMatchObject({ exitCode: 0, text: expect.stringMatching(/^usage: /) });
  });

  test("are a verb with its values", () => {
    const read = readOperatorArguments(["set-plan", "org-1", "growth", "--evaluations", "500", "--dry-run"]);
    const options = { evaluations: "500", "dry-run": true, json: false };
    expect(read).toMatchObject({ verb: "set-plan", subject: "org-1", value: "growth", options });
  });
});
