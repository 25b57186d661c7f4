// Words of language packs that announce personal data: the detector "pii" finds the values behind them.

import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { EvaluateRequestSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { readLanguagePacks } from "../../../../runtime/engine/authoring/language-pack/language-pack.ts";
import { cueEntities } from "../../../../runtime/engine/detectors/pii/cue.ts";
import { compileEngine } from "../../../../runtime/engine/engine.ts";
import type { Overlay } from "../../../../runtime/engine/languages/overlay.ts";
import { mergeOverlays } from "../../../../runtime/engine/languages/overlay-set.ts";
import { overlayFor } from "../../../../runtime/engine/overlay/extend-plan.ts";
import { parsePolicy } from "../../../../runtime/engine/policy/parse.ts";
import { compileDetectors } from "../../../../runtime/engine/scan/scanner.ts";
import { readLanguageFiles } from "../../../../src/kit/process/language-file.ts";
import { context } from "../stream/sample-stream.ts";

const overlays = readLanguagePacks(readLanguageFiles()).map(({ overlay }) => overlay);
const values: Readonly<Record<string, string>> = {
  PASSPORT: "AB1234567",
  DRIVING_LICENCE: "WAH4412870",
  DATE_OF_BIRTH: "12.05.1984",
  PHONE: "0812 345 6789",
  NATIONAL_ID: "44051401359",
  TAX_ID: "123-456-32-18",
  HEALTH_ID: "1EG4-TE5-MK73",
};

/** What the detector finds with overlays. */
function finderWith(given: readonly Overlay[], entities: readonly string[] = cueEntities) {
  const { policy, problems } = parsePolicy(
    `apiVersion: policyguard/v1
kind: Policy
metadata: {name: people}
detectors:
  people: {use: pii, entities: [${entities.join(", ")}]}
rules:
  - {id: people, stages: [output], detect: people, action: FLAG}`,
  );
  if (policy === undefined) throw new Error(JSON.stringify(problems));
  const scope = { tenantId: "t", appId: "*", agentId: "*", env: "*" };
  const policies = [{ policyId: "p", name: "p", version: 1, scope, document: policy }];
  const engine = compileEngine({ policies, environment: "prod", projectId: "p", overlays: given });
  return (text: string) =>
    engine.evaluate(create(EvaluateRequestSchema, { text }), context).findings.map((found) => ({
      ...{ category: found.category, text: text.slice(found.start, found.end), score: found.score },
    }));
}

/** What the detector says of its detections. */
function attributesOf(text: string) {
  const overlay = overlayFor("pii", { entities: [...cueEntities] }, mergeOverlays(overlays));
  const spec = { key: "people", use: "pii", parameters: { entities: [...cueEntities] } };
  const scanner = compileDetectors([{ ...spec, ...(overlay !== undefined && { overlay }) }]);
  return (scanner.scan(text).get("people") ?? []).map(({ attributes }) => attributes);
}

const find = finderWith(overlays);
const bare = finderWith([]);

describe("the words of the packs", () => {
  it("are there in every language, for each entity", () => {
    const missing = overlays.flatMap(({ language, terms }) => {
      const there = new Set((terms.pii_cue ?? []).map(({ entity }) => entity));
      return cueEntities.filter((entity) => !there.has(entity)).map((entity) => `${language} ${entity}`);
    });
    expect(missing).toEqual([]);
  });

  it("each make the detector find the value behind them", () => {
    const missed = overlays.flatMap(({ language, terms }) =>
      (terms.pii_cue ?? []).flatMap(({ term, entity = "" }) => {
        const value = values[entity] ?? "";
        const category = `pii.${entity.toLowerCase()}`;
        return find(`${term}: ${value}.`).some((found) => found.category === category && found.text === value)
          ? []
          : [`${language} ${term}`];
      }),
    );
    expect(missed).toEqual([]);
  });

  it("are no findings by themselves", () => {
    const wrong = overlays.flatMap(({ terms }) => (terms.pii_cue ?? []).flatMap(({ term }) => find(`${term}?`)));
    expect(wrong).toEqual([]);
  });
});

describe("a value behind a word that only a pack knows", () => {
  const text = "Mój numer paszportu to AB1234567.";

  it("is found with the pack", () => {
    expect(bare(text)).toEqual([]);
    expect(find(text)).toEqual([{ category: "pii.passport", text: "AB1234567", score: 0.8 }]);
    expect(attributesOf(text)).toEqual([
      { basis: "form, and words of a language pack", language: "pl", overlay: "pack" },
    ]);
  });

  it("is found without the marks of the word", () => {
    expect(find("Moj nr dowodu: 44051401359")).toMatchObject([{ category: "pii.national_id", text: "44051401359" }]);
  });

  it("is not found where the rule does not ask for it, nor far behind the word", () => {
    expect(finderWith(overlays, ["EMAIL", "TAX_ID"])(text)).toEqual([]);
    expect(find(`Numer paszportu podam jutro, ${"kiedy wrócę do domu, ".repeat(4)}AB1234567`)).toEqual([]);
    expect(find("เบอร์โทรใหม่ของร้านจะเปิดใช้ 12.05.2024")).toEqual([]);
  });
});

describe("what the detector finds by itself", () => {
  it.each([
    "Passport: AB1234567, Tel. +44 20 7946 0958, SSN 536-90-4399",
    "Reisepass C01X00T47, geboren am 12.05.1984, Telefon 030 901820",
    "Paszport: AB1234567, telefon 22 123 45 67, PESEL 44051401359",
  ])("stays as it is: %s", (text) => {
    expect(bare(text).length).toBeGreaterThan(1);
    expect(find(text)).toEqual(expect.arrayContaining(bare(text)));
  });
});
