import { describe, expect, it } from "vitest";
import { diff, rule, secrets } from "./policy-diff.ts";

describe("a difference of rules is reported in terms of the policy language", () => {
  it.each([
    ["the same", secrets, secrets, [], "equal"],
    [
      "defaults that are written out",
      rule("detect: pii, when: segment.length > 1"),
      `defaults: {mode: enforce, on_error: fail_closed, timeout_ms: 1000, record: full}\n${rule("detect: pii, when: segment.length > 1, severity: high, mode: enforce, on_error: fail_closed, rollout: {percent: 100}, redact: {style: placeholder, reversible: false}, locked: false")}`,
      [],
      "equal",
    ],
    [
      "another fail mode, told for each detector and for the conditions",
      rule("detect: {any: [pii, secrets]}, when: segment.length > 1"),
      rule("detect: {any: [pii, secrets]}, when: segment.length > 1, on_error: fail_open"),
      [
        'weaker: rule "r": pii fails open when it cannot judge',
        'weaker: rule "r": secrets fails open when it cannot judge',
        'weaker: rule "r": fails open when it cannot be judged',
      ],
      "weaker",
    ],
    [
      "a fail mode of a detector alone",
      `detectors: {d: {use: pii}}\n${rule("detect: {any: [d, secrets]}")}`,
      `detectors: {d: {use: pii, on_error: fail_open}}\n${rule("detect: {any: [d, secrets]}")}`,
      ['weaker: rule "r": d fails open when it cannot judge'],
      "weaker",
    ],
    [
      "a shadow that ends",
      rule("detect: pii"),
      rule("detect: pii, mode: shadow, shadow: {until: 2027-01-01T00:00:00Z}"),
      ['weaker: rule "r": mode shadow until 2027-01-01T00:00:00Z, then enforce instead of enforce'],
      "weaker",
    ],
    [
      "a shadow that ends sooner",
      rule("detect: pii, mode: shadow, shadow: {until: 2027-01-01T00:00:00Z}"),
      rule("detect: pii, mode: shadow, shadow: {until: 2026-12-01T00:00:00Z}"),
      [
        'stricter: rule "r": mode shadow until 2026-12-01T00:00:00Z, then enforce instead of shadow until 2027-01-01T00:00:00Z, then enforce',
      ],
      "stricter",
    ],
    [
      "originals that can be put back",
      rule("detect: pii").replace("BLOCK", "REDACT"),
      rule("detect: pii, redact: {reversible: true, ttl: 30m}").replace("BLOCK", "REDACT"),
      ['neutral: rule "r": originals can be put back, for 30m'],
      "equal",
    ],
    [
      "a list that is kept elsewhere",
      `lists: {own: [a.com]}\n${rule("detect: pii, unless: finding.domain in lists.own")}`,
      `lists: {own: {named: true, default: [a.com]}}\n${rule("detect: pii, unless: finding.domain in lists.own")}`,
      ['unknown: list "own": stored separately, under this name'],
      "unknown",
    ],
    [
      "a rule more",
      secrets,
      `${secrets}  - {id: s, stages: [input, output], detect: pii, action: FLAG}\n`,
      ['stricter: rule "s" added: FLAG at input, output'],
      "stricter",
    ],
    [
      "a shadow rule more",
      secrets,
      `${secrets}  - {id: s, stages: [input], detect: pii, action: FLAG, mode: shadow}\n`,
      ['neutral: rule "s" added: FLAG at input, shadow'],
      "equal",
    ],
    ["another name", secrets, secrets.replace("id: r", "id: key"), ['neutral: rule "r" renamed to "key"'], "equal"],
    [
      "a lower threshold",
      rule("detect: {ref: pii, threshold: 0.7}"),
      rule("detect: pii"),
      ['stricter: rule "r": threshold of pii lowered from 0.7 to 0.5'],
      "stricter",
    ],
    [
      "an inherited threshold",
      `detectors: {mine: {use: pii}}\n${rule("detect: mine")}`,
      `detectors: {mine: {use: pii, threshold: 0.9}}\n${rule("detect: mine")}`,
      ['weaker: rule "r": threshold of mine raised from 0.5 to 0.9'],
      "weaker",
    ],
    [
      "a milder action",
      secrets,
      secrets.replace("BLOCK", "FLAG"),
      ['weaker: rule "r": milder action: FLAG instead of BLOCK'],
      "weaker",
    ],
    [
      "an inherited mode",
      secrets,
      `defaults: {mode: shadow}\n${secrets}`,
      ['weaker: rule "r": mode shadow instead of enforce'],
      "weaker",
    ],
    [
      "a shadow rule that changes and is enforced",
      rule("detect: pii, mode: shadow"),
      rule("detect: {ref: pii, threshold: 0.9}"),
      [
        'stricter: rule "r": mode enforce instead of shadow',
        'neutral: rule "r": threshold of pii raised from 0.5 to 0.9',
      ],
      "stricter",
    ],
    [
      "stages both ways",
      secrets,
      secrets.replace("[input]", "[output]"),
      ['unknown: rule "r": also runs at output, no longer runs at input'],
      "unknown",
    ],
    [
      "a wider roll-out",
      rule("detect: pii, rollout: {percent: 10}"),
      rule("detect: pii"),
      ['stricter: rule "r": rolled out to 100 percent instead of 10'],
      "stricter",
    ],
    [
      "one more detector of a conjunction",
      rule("detect: {all: [pii, secrets]}"),
      rule("detect: {all: [pii, secrets, injection]}"),
      ['weaker: rule "r": also detects injection, needs 3 of 3 detectors instead of 2 of 2'],
      "weaker",
    ],
    [
      "fewer entities",
      rule("detect: {ref: pii, entities: [EMAIL, CREDIT_CARD, IBAN]}"),
      rule("detect: {ref: pii, entities: [EMAIL]}"),
      ['weaker: rule "r": entities of pii: no longer CREDIT_CARD, IBAN'],
      "weaker",
    ],
    [
      "another sensitivity",
      `detectors: {i: {use: injection}}\n${rule("detect: i")}`,
      `detectors: {i: {use: injection, sensitivity: strict}}\n${rule("detect: i")}`,
      ['stricter: rule "r": sensitivity of i: strict instead of auto'],
      "stricter",
    ],
    [
      "a narrower condition",
      rule(`detect: pii, when: 'segment.trust == "untrusted"'`),
      rule(`detect: pii, when: '(segment.trust=="untrusted") && request.env == "prod"'`),
      [
        'weaker: rule "r": matches less: when (segment.trust=="untrusted") && request.env == "prod" instead of segment.trust == "untrusted"',
      ],
      "weaker",
    ],
    [
      "a condition in other words",
      rule(`detect: pii, when: 'segment.trust == "untrusted"'`),
      rule(`detect: pii, when: '(segment.trust   ==  "untrusted")'`),
      [],
      "equal",
    ],
    [
      "what redaction leaves",
      "rules:\n  - {id: r, stages: [input], detect: pii, action: REDACT}\n",
      "rules:\n  - {id: r, stages: [input], detect: pii, action: REDACT, redact: {style: partial}}\n",
      ['weaker: rule "r": redaction partial instead of placeholder, which leaves more of the text'],
      "weaker",
    ],
    [
      "words",
      secrets,
      rule("detect: secrets, message: No., severity: low"),
      ['neutral: rule "r": severity added', 'neutral: rule "r": message added'],
      "equal",
    ],
  ])("%s", (_, before, after, told, strictness) => {
    const found = diff(before, after);
    expect(found.told).toEqual(told);
    expect(found.strictness).toBe(strictness);
  });

  it("names the place and both values", () => {
    const { changes } = diff(secrets, secrets.replace("BLOCK", "FLAG"));
    expect(changes).toEqual([
      {
        kind: "action_changed",
        path: 'rules["r"].action',
        rule: "r",
        text: 'rule "r": milder action: FLAG instead of BLOCK',
        before: "BLOCK",
        after: "FLAG",
        effect: "weaker",
      },
    ]);
  });

  it("does not decide where a condition reads what the policy finds", () => {
    const counting = `${secrets}  - {id: s, stages: [input], when: findings.size() > 1, action: FLAG}\n`;
    const { strictness, reasons } = diff(
      counting,
      `${counting}  - {id: t, stages: [input], detect: pii, action: FLAG}\n`,
    );
    expect(strictness).toBe("unknown");
    expect(reasons).toContain("unknown: a condition reads findings, and what is found has changed");
  });
});
