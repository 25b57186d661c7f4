import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSealer, parseMasterKeys } from "../../../src/platform/seal.ts";

const binding = { purpose: "webhook.secret", orgId: "org-1", rowId: "row-1" };
const base64 = () => randomBytes(32).toString("base64");
const sealerOf = (text: string) => createSealer({ masterKeys: parseMasterKeys(text) });

describe("sealed secrets", () => {
  it("open to the original, and are different each time", () => {
    const sealer = sealerOf(base64());
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (secret) => {
        const sealed = sealer.seal(secret, binding);
        expect(Buffer.from(sealer.open(sealed, binding))).toEqual(Buffer.from(secret));
        expect(sealer.seal(secret, binding)).not.toEqual(sealed);
      }),
      { numRuns: 1000, seed: 1 },
    );
  });

  it("never have a nonce twice, and keep theirs when later ones are drawn", () => {
    const sealer = sealerOf(`main:${base64()}`);
    const headerBytes = 2 + "main".length;
    const all = Array.from({ length: 5_000 }, () => sealer.seal(Buffer.from("secret"), binding));
    const nonces = all.map((sealed) => Buffer.from(sealed).toString("hex", headerBytes, headerBytes + 12));
    expect(new Set(nonces).size).toBe(all.length);
    for (const sealed of all) expect(Buffer.from(sealer.open(sealed, binding)).toString()).toBe("secret");
  });

  it.each([
    ["another purpose", { ...binding, purpose: "signing-key" }],
    ["another organization", { ...binding, orgId: "org-2" }],
    ["another row", { ...binding, rowId: "row-2" }],
    ["the same letters, cut elsewhere", { purpose: "webhook.secretorg-1", orgId: "", rowId: "row-1" }],
  ])("do not open for %s", (_, other) => {
    const sealer = sealerOf(base64());
    const sealed = sealer.seal(Buffer.from("secret"), binding);
    expect(() => sealer.open(sealed, other)).toThrow("belongs to something else");
  });

  it("do not open when any byte is changed or any tail is cut", () => {
    const sealer = sealerOf(`main:${base64()}`);
    const sealed = sealer.seal(Buffer.from("secret"), binding);
    for (let i = 0; i < sealed.length; i++) {
      const changed = Uint8Array.from(sealed);
      changed[i] = (changed[i] ?? 0) ^ 1;
      expect(() => sealer.open(changed, binding), `byte ${i}`).toThrow();
      expect(() => sealer.open(sealed.subarray(0, i), binding), `cut to ${i}`).toThrow();
    }
  });

  it("open with an old master key after rotation, and are sealed with the new one", () => {
    const [old, fresh] = [base64(), base64()];
    const before = sealerOf(old).seal(Buffer.from("secret"), binding);
    const rotated = sealerOf(`2026:${fresh},${old}`);
    expect(Buffer.from(rotated.open(before, binding)).toString()).toBe("secret");
    const after = rotated.seal(Buffer.from("secret"), binding);
    expect(Buffer.from(sealerOf(`2026:${fresh}`).open(after, binding)).toString()).toBe("secret");
    expect(() => sealerOf(old).open(after, binding)).toThrow('master key "2026", which is not configured');
  });

  it.each([
    ["nothing", ""],
    ["too few bytes", randomBytes(31).toString("base64")],
    ["too many bytes", randomBytes(33).toString("base64")],
    ["hexadecimal", randomBytes(32).toString("hex")],
    ["a name with a blank", `a b:${base64()}`],
    ["an empty entry", `${base64()},`],
    ["the same name twice", `a:${base64()},a:${base64()}`],
  ])("refuse a master key of %s without quoting it", (_, text) => {
    const attempt = () => parseMasterKeys(text);
    expect(attempt).toThrow(/master key/);
    if (text !== "") expect(attempt).not.toThrow(text);
  });
});
