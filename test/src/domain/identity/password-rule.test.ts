import { describe, expect, test } from "vitest";
import { checkPassword } from "../../../../src/domain/identity/password-rule.ts";
import { parseEmail } from "../../../../src/domain/mail/email.ts";

const person = { email: parseEmail("Ada.Lovelace@example.com"), name: "Augusta Ada King" };
const check = (password: string) => () => checkPassword(password, person);

describe("checkPassword()", () => {
  test.each([
    "correct horse battery staple",
    "gT7#kk29LmQ",
    "mein Hund hei\u00DFt Rex",
    "\u79C1\u306E\u732B\u306F\u7A93\u8FBA\u3067\u7720\u308B\u3088",
    `${"0".repeat(3)}7f3a9c51e2`,
    "dragon eats monkey pie",
    `${"x".repeat(190)}y1z2w3v4u5`,
  ])("takes %j", (password) => {
    expect(check(password)).not.toThrow();
  });

  test.each([
    "Password123!",
    "P@ssw0rd2024",
    "1234567890",
    "0987654321",
    "qwertyuiop",
    "Qwertz!!!!12",
    "iloveyou12",
    "aaaaaaaaaaaa",
    "abcabcabcabc",
    "monkeydragon1",
    "dragon shadow",
    "passwordpassword",
    "1q2w3e4r5t",
    "zaq12wsx!!",
    "11112222333",
    "!!!welcome!!!",
    "Fussball2024",
    "motdepasse1",
    "\uFF50assword123",
    "letmein!!!!",
    "summer2025!",
    "correcthorsebatterystaple",
  ])("refuses %j, which is tried first", (password) => {
    expect(check(password)).toThrow(/first that attackers try/);
  });

  test.each([
    "ada.lovelace@example.com",
    "ADA.LOVELACE@EXAMPLE.COM",
    "ada.lovelace",
    "augusta ada king",
    "AugustaAdaKing!1",
  ])("refuses %j, the person's own", (password) => {
    expect(check(password)).toThrow(/name or the e-mail/);
  });

  test("counts characters, not code units", () => {
    expect(check("\u{1F9A6}\u{1F428}\u{1F98A}\u{1F43C}\u{1F981}\u{1F438}\u{1F419}\u{1F984}\u{1F41D}")).toThrow(
      /at least 10/,
    );
    expect(
      check("\u{1F9A6}\u{1F428}\u{1F98A}\u{1F43C}\u{1F981}\u{1F438}\u{1F419}\u{1F984}\u{1F41D}\u{1F98B}"),
    ).not.toThrow();
    expect(check("y\u{1F9A6}".repeat(101))).toThrow(/at most 200/);
  });

  test("takes no time over what is long", () => {
    const startedAt = performance.now();
    expect(check("passwordx".repeat(20))).not.toThrow();
    expect(check("a1".repeat(2_000))).toThrow(/at most 200/);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});
