import { describe, expect, it } from "vitest";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { compileEngine } from "../../../../runtime/engine/engine.ts";
import { finish } from "../../../../runtime/engine/text/steps.ts";
import { checkRelease, type ReleaseCheck, retestBundle } from "../../../../src/domain/analysis/check-release.ts";
import { policySources } from "../../../../src/domain/analysis/stored-part.ts";
import { productTools } from "../../../../src/domain/analysis/tools.ts";
import { Fault } from "../../../../src/kit/fault/fault.ts";

const tools = { ...productTools(), enter: () => undefined };
const now = new Date("2026-11-20T10:00:00Z");
const scope = { tenantId: "*", appId: "*", agentId: "*", env: "*" };
const stages = ["input", "output", "tool_result"];
const patternsOfPolicy = 480;

/** A pattern with characters of its own before its literal: streams have a table of 64 KiB for those. */
function ledPattern(n: number): string {
  const letters = [..."bcdfghjklmnp"].filter((_, bit) => ((n >> bit) & 1) === 1);
  return `[a${letters.join("")}]{1,3}!!${n}!!`;
}

/**
 * Policies with so many patterns. Each stage has a rule of its own besides, and one that is in shadow until later, so
 * that no two kinds of streams share their tables.
 */
function releaseOf(count: number, envs: readonly string[] | undefined = undefined): ReleaseCheck {
  const patterns = Array.from({ length: count }, (_, n) => ledPattern(n));
  const policies = Array.from({ length: Math.ceil(count / patternsOfPolicy) }, (_, part) => {
    const own = patterns.slice(part * patternsOfPolicy, (part + 1) * patternsOfPolicy);
    const marks = stages.flatMap((stage) => [stage, `${stage}_later`]);
    const document = {
      ...{ apiVersion: "policyguard/v1", kind: "Policy", metadata: { name: `p${part}` } },
      ...(envs === undefined ? {} : { match: { envs } }),
      detectors: {
        own: { use: "regex", patterns: own },
        ...Object.fromEntries(marks.map((mark) => [mark, { use: "regex", patterns: [`[a-z]{2}::${mark}::`] }])),
      },
      rules: [
        { id: "own", stages, detect: "own", action: "BLOCK" },
        ...marks.map((mark) => ({
          ...{ id: mark, stages: [mark.replace("_later", "")], detect: mark, action: "BLOCK" },
          ...(mark.endsWith("_later") ? { mode: "shadow", shadow: { until: "2099-01-01T00:00:00Z" } } : {}),
        })),
      ],
    };
    return { policyId: `p${part}`, name: `p${part}`, version: 1, scope, documentText: JSON.stringify(document) };
  });
  return {
    ...{ from: { policies }, environment: "prod", projectId: "project-1", now },
    ...{ lists: [], backends: [], agents: [], overlays: [] },
  };
}

function faultOf(work: () => unknown): Fault | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

describe("a release whose tables no runtime would take", () => {
  it("is refused before anything is signed, and says what to change", () => {
    const fault = faultOf(() => checkRelease(releaseOf(1_500), tools));
    expect(fault?.reason).toBe(Reason.VALIDATION_FAILED);
    expect(fault?.message).toContain("need more than 512 MiB of tables: have fewer");
  });
});

describe("a release that is taken", () => {
  it("is one that a runtime makes an engine of, tables included", () => {
    const { parts } = checkRelease(releaseOf(300), tools);
    const engine = compileEngine({ policies: policySources(parts), environment: "prod", projectId: "project-1" });
    expect(() => finish(engine.prepareTables())).not.toThrow();
  });

  it("is checked for its environment, and a promotion for its target", () => {
    const { parts } = checkRelease(releaseOf(1_500, ["staging"]), tools);
    const promotion = { parts, projectId: "project-1", now };
    expect(faultOf(() => retestBundle({ ...promotion, environment: "prod" }, tools))).toBeUndefined();
    expect(faultOf(() => retestBundle({ ...promotion, environment: "staging" }, tools))?.reason).toBe(
      Reason.VALIDATION_FAILED,
    );
  });
});
