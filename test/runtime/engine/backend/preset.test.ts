import { getOption } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import {
  DetectorBackendPresetSchema,
  DetectorBackendShapeSchema,
} from "../../../../gen/policyguard/control/v1/detector_backend_pb.ts";
import { wire } from "../../../../gen/policyguard/options/v1/options_pb.ts";
import { backendShapes } from "../../../../runtime/engine/backend/backend.ts";
import { presets } from "../../../../runtime/engine/backend/preset-catalog.ts";

type Values = typeof DetectorBackendPresetSchema.values;

/** The spellings of an enum, without its unspecified value. */
function spellings(values: Values): string[] {
  return values.slice(1).map((value) => getOption(value, wire));
}

describe("the contract", () => {
  it("has the shapes that runtimes know", () => {
    expect(spellings(DetectorBackendShapeSchema.values).sort()).toEqual([...backendShapes].sort());
  });

  it("has the presets that are there", () => {
    expect(spellings(DetectorBackendPresetSchema.values)).toEqual(presets.map(({ name }) => name));
  });
});

describe("presets whose labels do not exclude each other", () => {
  it("are not asked by a protocol that makes shares of one of all scores", () => {
    const joint = presets.filter(({ activation }) => activation === "sigmoid");
    expect(joint.map(({ name }) => name)).toEqual(["toxic-bert", "unbiased-toxic-roberta"]);
    expect(joint.filter(({ shapes }) => shapes.includes("tei-predict"))).toEqual([]);
  });
});

describe.each(presets)("the preset $name", ({ labels, ignore, models, shapes, source, licence, standing }) => {
  it("gives each label one meaning", () => {
    expect(ignore.filter((label) => Object.hasOwn(labels, label))).toEqual([]);
    expect(new Set(ignore).size).toBe(ignore.length);
    for (const category of Object.values(labels))
      expect(category).toMatch(/^(?:injection|toxicity|content_safety)(?:\.[a-z][a-z0-9_]*)+$/);
  });

  it("says for which models it is, how they are asked, whose they are, and that nobody measured it", () => {
    expect(models.length).toBeGreaterThan(0);
    expect(shapes.length).toBeGreaterThan(0);
    expect(source).toMatch(/^https:\/\//);
    expect(licence).not.toBe("");
    expect(standing).toBe("files_fit");
  });
});
