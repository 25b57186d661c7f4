// Policies of random rules, written as people write them.

import type { Random } from "../../../../runtime/engine/authoring/seeded-random.ts";
import { oneOf } from "./sample-stream.ts";

const detects = [
  { use: "keywords", keywords: ["project bluebird", "kill", "café", "пароль", "秘密", "new york city"] },
  { use: "keywords", keywords: ["bird", "secret", "a b"], match: "substring" },
  { use: "keywords", keywords: ["Straße", "O'Brien", "Москва", "well-known", "pass word", "İstanbul"] },
  { use: "keywords", keywords: ["ss", "сор", "ßa", "'s"], match: "substring" },
  { use: "keywords", keywords: ["Paris", "XML"], case_sensitive: true },
  { use: "regex", patterns: ["\\bfoo\\d{2,4}\\b", "ticket[- ]?#?\\d+"] },
  { use: "regex", patterns: ["[a-z]{2,5}@corp", "\\w+\\.internal", "(?i)begin.*?end"] },
  { use: "regex", patterns: [{ pattern: "a.{0,30}z", name: "wide" }, "[0-9a-f]{8}-[0-9a-f]{4}"] },
  { use: "regex", patterns: ["\\s{3,}", "x+y|x", "(?:ab|abab)c", "\\bpassword\\s*[:=]\\s*\\S{4,40}"] },
  {
    use: "regex",
    patterns: [{ pattern: "BEGIN[\\s\\S]*?END", flags: "s" }, "^start", "stop$", "\\d{3}-\\d{2}-\\d{4}"],
  },
  {
    use: "regex",
    patterns: [{ pattern: "^note:.*$", flags: "m" }, "(?i)[\\w.-]{0,20}acme[\\w-]{0,8}[:=]([a-z0-9]{8,})"],
  },
  { use: "pii" },
  { use: "pii", entities: ["EMAIL"] },
  { use: "pii", entities: ["CREDIT_CARD", "IBAN"] },
  { use: "secrets" },
  { use: "injection" },
  { use: "injection", disguises: false },
  { use: "injection", disguises: false, sensitivity: "strict", text_kind: "document" },
  { use: "unicode" },
  { use: "encoding" },
  { use: "url" },
  { use: "code" },
  { use: "canary", canaries: ["Q7ZK-2XVB9M", "CNRY0815xZ"] },
  { use: "profanity" },
  { use: "toxicity" },
  { use: "self_harm" },
  { use: "content_safety" },
  { use: "repetition" },
  { use: "length", max_characters: 300 },
  { use: "gibberish" },
  { use: "language", allow: ["en"] },
  { use: "pii", entities: ["URL", "IP", "MAC"] },
  { use: "pii", entities: ["BIC", "DATE_OF_BIRTH"] },
  { use: "pii", entities: ["BIC", "VIN", "CRYPTO", "PASSPORT"] },
  {
    use: "pii",
    entities: ["EMAIL", "PHONE", "CREDIT_CARD", "IBAN", "SSN", "NATIONAL_ID", "TAX_ID", "IP", "URL", "MAC", "CRYPTO"],
  },
  { use: "pii", entities: ["HEALTH_ID", "BANK_ROUTING", "ITIN", "EIN"] },
  { use: "pii", entities: ["HEALTH_ID", "PHONE", "BANK_ROUTING", "SSN", "ITIN"] },
  { use: "pii", entities: ["DRIVING_LICENCE"] },
  { use: "pii", entities: ["COORDINATES", "EMAIL"] },
  { use: "topics", topics: ["gambling", "medical"] },
  { use: "topics", topics: ["finance", "weapons", "politics"], languages: ["en", "de"] },
];

/** Whose texts a rule is about: those of all moments that have streams, or of some. */
const stageLists = [
  "[input, output, tool_result]",
  "[input, output, tool_result]",
  "[input, output, tool_result, tool_call]",
  "[output]",
  "[input]",
  "[tool_result, output]",
];

const conditions = [
  "",
  "",
  "",
  'when: "finding.score > 0.5"',
  'when: "finding.start > 20"',
  'unless: "finding.layer == \\"plain\\""',
  'when: "request.agent_id == \\"bot\\""',
  'when: "segment.role == \\"assistant\\""',
  'when: "segment.text.size() > 60"',
  'when: "findings.size() < 3"',
];

/** A policy of one to five rules. */
export function policySource(random: Random): string {
  const count = 1 + Math.floor(random() * 5);
  const names = Array.from({ length: count }, (_, index) => `d${index}`);
  const detectors = names.map((name) => `  ${name}: ${JSON.stringify(oneOf(detects, random))}`);
  const rules = names.map((name, index) => {
    const action = oneOf(["BLOCK", "REDACT", "REDACT", "REDACT", "FLAG"], random);
    const style = oneOf(["placeholder", "mask", "partial", "hash", "remove"], random);
    const mode = oneOf(["enforce", "enforce", "enforce", "enforce", "shadow"], random);
    const stages = oneOf(stageLists, random);
    const parts = [`id: r${index}`, `stages: ${stages}`, `detect: ${name}`, `action: ${action}`, `mode: ${mode}`];
    // Whole-text conditions are rarer than what streams are for.
    const condition = oneOf(conditions, random);
    if (condition !== "") parts.push(condition);
    if (action === "REDACT") parts.push(`redact: {style: ${style}}`);
    return `  - {${parts.join(", ")}}`;
  });
  const exemptions =
    random() < 0.15
      ? ['exemptions:\n  - {id: e, rules: ["r0"], reason: agreed, when: "finding.category == \\"keywords\\""}']
      : [];
  const unlisted = random() < 0.1 ? ["defaults: {unsupported_language: unjudged, on_error: fail_closed}"] : [];
  const open = random() < 0.1 ? ["defaults: {unsupported_language: unjudged}"] : [];
  const defaults = unlisted.length > 0 ? unlisted : open;
  return [...defaults, "detectors:", ...detectors, "rules:", ...rules, ...exemptions].join("\n");
}
