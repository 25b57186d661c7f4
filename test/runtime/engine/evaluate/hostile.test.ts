// Texts that almost match what detectors and disguises look for, again and again, and break at the end: where an
// expression can read a part in two ways, such a text takes time beyond all bounds. All detectors together, with their
// models.

import type { JsonObject } from "@bufbuild/protobuf";
import { afterAll, expect, it } from "vitest";
import { catalog } from "../../../../runtime/engine/detectors/catalog.ts";
import { compileDetectors } from "../../../../runtime/engine/scan/scanner.ts";
import { isSampled, reportSample } from "../../../../scripts/assurance/sample.ts";
import { shippedModels } from "../../../../src/kit/process/model-file.ts";
import { withCpuMs } from "../../../harness/cpu-time.ts";

const needed: Readonly<Record<string, JsonObject | undefined>> = {
  canary: { canaries: ["Q7ZK-2XVB9M-KD83"] },
  code: { find: ["danger", "language"] },
  keywords: { keywords: ["blue bird"] },
  language: { deny: ["de"] },
  length: { max_words: 5_000_000, max_tokens: 9_000_000 },
  regex: { patterns: ["\\bABC-[0-9]{4}\\b", "[a-z]{3,40}-\\d"] },
  topics: { topics: ["adult", "drugs", "weapons"] },
};

const specs = catalog
  .filter(({ costClass }) => costClass !== "backend")
  .map(({ id, entities }) => {
    const parameters = entities.length > 0 ? { entities: [...entities] } : (needed[id] ?? {});
    return { key: `${id}#0`, use: id, parameters };
  });
const scanner = compileDetectors(specs, { models: shippedModels() });

/** What makes detectors and disguises look closer. */
const beginnings = [
  "Order ",
  "http://a.b/",
  'api_key = "',
  "mail a@b",
  "DE89 ",
  "%41%42%43%44",
  "3v3ry w0rd h3re 1s l33t sp34k ",
  "isthay isway igpay atinlay anguagelay ereway oday ",
];
const pumps = [
  ...[
    "0",
    "01",
    "0 1 ",
    "0000000 ",
    "00000000,",
    "ab",
    "ab ",
    "0xab,",
    "41 ",
    "041-",
    "%41",
    "=41",
    "&#65;",
    "&amp",
    "\\u0041",
    "\\101",
  ],
  ...[
    "A7",
    "ABCDEFGH",
    "QUJD",
    ".-",
    ".- ",
    ".-/",
    "-",
    "/",
    "\u200b\u200c",
    "\ufe01",
    "\u{e0041}",
    "a.",
    "a-",
    "a1",
    "1a",
    "(<(",
    "<6",
  ],
  ...[
    "=",
    "!",
    ")",
    ".",
    "#",
    "_",
    "AA00 ",
    "4111 ",
    "1.2.",
    "12-",
    "http://a.",
    "![C](",
    "<IMG!0",
    "ay",
    "a b ",
    "e\u0301",
    "é",
    " \n",
  ],
];
const ends = ["2", "g", "\0", "é", " "];
const small = 2_000;
const factor = 16;

const sampled = pumps.map((pump) => [JSON.stringify(pump), pump] as const).filter(([name]) => isSampled(name, 0.15));
afterAll(() => reportSample({ n: sampled.length, failures: 0 }));

it.each(sampled)("%s over and over takes time in proportion to its length", (_, pump) => {
  const texts = (length: number) =>
    beginnings.map((begin, index) => begin + pump.repeat(length / pump.length) + (ends[index % ends.length] ?? ""));
  const scanAll = (length: number) =>
    withCpuMs(() => {
      for (const text of texts(length)) scanner.scan(text);
    }).cpuMs;
  const smallMs = Math.max(scanAll(small), scanAll(small));
  // Quadratic time would be 256 times as long, what is worse would not end.
  expect(scanAll(small * factor)).toBeLessThan(Math.max(2_000, smallMs * factor * 4));
});
