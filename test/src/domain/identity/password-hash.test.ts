import { describe, expect, test } from "vitest";
import { PasswordHasher } from "../../../../src/domain/identity/password-hash.ts";
import { Fault } from "../../../../src/kit/fault/fault.ts";

const hasher = new PasswordHasher();

describe("PasswordHasher", () => {
  test("takes what it hashed and nothing else", async () => {
    const stored = await hasher.hash("seven quiet otters");
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(await hasher.hash("seven quiet otters")).not.toBe(stored);
    expect(await hasher.check("seven quiet otters", stored)).toEqual({ matches: true, outdated: false });
    expect(await hasher.check("seven quiet otterS", stored)).toEqual({ matches: false, outdated: false });
    expect(await hasher.check("", stored)).toEqual({ matches: false, outdated: false });
  });

  test("takes a hash of the reference implementation, and says that its cost is outdated", async () => {
    const stored = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";
    expect(await hasher.check("password", stored)).toEqual({ matches: true, outdated: true });
    expect(await hasher.check("passwore", stored)).toEqual({ matches: false, outdated: true });
  });

  test("takes the same password in every Unicode form that a keyboard composes", async () => {
    const stored = await hasher.hash("caf\u00E9 au lait 7");
    expect((await hasher.check("cafe\u0301 au lait 7", stored)).matches).toBe(true);
  });

  test.each([null, undefined])("matches nothing against %s", async (stored) => {
    expect((await hasher.check("seven quiet otters", stored)).matches).toBe(false);
  });

  test("fails on what is no hash rather than call it wrong", async () => {
    await expect(hasher.check("x", "$2b$10$abcdefghijklmnopqrstuv")).rejects.toThrow(/not an argon2id PHC string/);
  });

  test("refuses what it cannot get done soon, and gets the rest done", async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 130 }, () => hasher.check("x", null)));
    const refused = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(refused.length).toBeGreaterThanOrEqual(26);
    expect(refused.length).toBeLessThanOrEqual(29);
    for (const { reason } of refused) {
      expect(reason).toBeInstanceOf(Fault);
      expect(reason.headers).toEqual({ "Retry-After": "1" });
    }
    expect((await hasher.check("x", null)).matches).toBe(false);
  });
});
