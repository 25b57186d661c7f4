import { describe, expect, it } from "vitest";
import { BundleRejection } from "../../runtime/bundle/rejection.ts";
import { readArguments, runtimeSchema } from "../../runtime/config.ts";
import { whyNotStarted } from "../../runtime/start-failure.ts";
import { readConfig } from "../../src/kit/process/config.ts";

function thrown(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe("why a runtime does not start", () => {
  it.each([
    ["a setting", thrown(() => readConfig(runtimeSchema, { LOG_LEVEL: "loud" })), /^1 wrong setting.*\n {2}LOG_LEVEL/],
    ["an argument", thrown(() => readArguments(["--bundel", "b.json"])), /^Unknown option '--bundel'/],
    [
      "a bundle",
      new BundleRejection("digest_mismatch", "policies/a.json does not have the digest that the manifest says"),
      /^the bundle is refused \(digest_mismatch\): policies/,
    ],
    [
      "a full disk",
      Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" }),
      /^there is no room in the data folder.*ENOSPC/,
    ],
    ["a file", Object.assign(new Error("ENOENT: no such file, open 'b.json'"), { code: "ENOENT" }), /^ENOENT/],
    [
      "a reason behind a reason",
      new Error("the bundle file is not the JSON of a bundle", { cause: new Error("no end") }),
      /^the bundle file .*: no end$/,
    ],
  ])("is one message when it is %s", (_, error, expected) => {
    const why = whyNotStarted(error);
    expect(why).toMatch(expected);
    expect(why).not.toMatch(/^\s+at /m);
  });

  it("has its stack when the mistake is in the code", () => {
    expect(whyNotStarted(new TypeError("x is not a function"))).toMatch(/TypeError: x is not a function\n\s+at /);
  });
});
