import { afterAll, describe, expect, it } from "vitest";
import { BundleHolder } from "../../../runtime/bundle/active-bundle.ts";
import { BundleBuilder } from "../../../runtime/bundle/builder.ts";
import type { VerifiedBundle } from "../../../runtime/bundle/verify.ts";
import { verifiedBundle } from "../../harness/bundle.ts";

const builder = new BundleBuilder();
const adoption = { now: new Date(), isConfirmed: true, keep: async () => undefined };

afterAll(() => builder.stop());

function bundleOf(keyword: string): Promise<VerifiedBundle> {
  const document = {
    ...{ apiVersion: "policyguard/v1", kind: "Policy", metadata: { name: "words" } },
    detectors: { words: { use: "keywords", keywords: [keyword] } },
    rules: [{ id: "words", stages: ["input"], detect: "words", action: "BLOCK" }],
  };
  return verifiedBundle([JSON.stringify(document)]);
}

/** The same content, activated once more as another version. */
function again(
  found: VerifiedBundle,
  version: number,
  change: Partial<VerifiedBundle["manifest"]> = {},
): VerifiedBundle {
  const { payload } = found.activation;
  return {
    ...found,
    manifest: { ...found.manifest, version, ...change },
    activation: {
      ...found.activation,
      payload: { ...payload, version, activation_seq: payload.activation_seq + version },
    },
  };
}

describe("a bundle whose content is in force already", () => {
  it("is put into force with the engine at hand, and is kept like any other", async () => {
    const holder = new BundleHolder({ builder });
    const found = await bundleOf("one");
    await holder.adopt(found, adoption);
    const before = holder.loaded;
    let kept = 0;
    const keep = async () => {
      kept += 1;
    };
    await holder.adopt(again(found, 7), { ...adoption, keep });
    expect(holder.loaded?.engine).toBe(before?.engine);
    expect(holder.loaded?.reference.version).toBe(7);
    expect(kept).toBe(1);
  });

  it("is not put into force when it cannot be kept", async () => {
    const holder = new BundleHolder({ builder });
    const found = await bundleOf("one");
    await holder.adopt(found, adoption);
    const before = holder.loaded;
    const keep = () => Promise.reject(new Error("the disk is full"));
    await expect(holder.adopt(again(found, 7), { ...adoption, keep })).rejects.toThrow("the disk is full");
    expect(holder.loaded).toBe(before);
  });

  it.each([
    ["its environment", (one: VerifiedBundle) => again(one, 7, { environment: "staging" })],
    ["its project", (one: VerifiedBundle) => again(one, 7, { project_id: "another" })],
    [
      "its content",
      (one: VerifiedBundle, two: VerifiedBundle) => ({
        ...again(one, 7, { content_digest: two.manifest.content_digest }),
        parts: two.parts,
      }),
    ],
  ])("is another one when %s differs", async (_, differing) => {
    const holder = new BundleHolder({ builder });
    const [one, two] = await Promise.all([bundleOf("one"), bundleOf("two")]);
    await holder.adopt(one, adoption);
    const before = holder.loaded;
    await holder.adopt(differing(one, two), adoption);
    expect(holder.loaded?.engine).not.toBe(before?.engine);
  });
});

describe("the first bundle of a process", () => {
  it("answers before it is warmed up, and is warmed up beside evaluations once they are taken", async () => {
    const holder = new BundleHolder({ builder });
    await holder.adopt(await bundleOf("one"), adoption);
    expect(holder.loaded).toBeDefined();
    expect(holder.isWarm).toBe(false);
    const problems: unknown[] = [];
    holder.listen((error) => problems.push(error));
    expect(holder.isWarm).toBe(false);
    await expect.poll(() => holder.isWarm).toBe(true);
    expect(problems).toEqual([]);
  });

  it("leaves turns of the event loop to callers between the evaluations that warm it up", async () => {
    const holder = new BundleHolder({ builder });
    await holder.adopt(await bundleOf("one"), adoption);
    const { engine } = holder.require();
    const { evaluate } = engine;
    let evaluations = 0;
    Object.assign(engine, {
      evaluate: (...given: Parameters<typeof evaluate>) => {
        evaluations += 1;
        return evaluate(...given);
      },
    });
    holder.listen(() => undefined);
    let turns = 0;
    for (; evaluations < 12; turns++) await new Promise((resolve) => setImmediate(resolve));
    // Without a rest there is one turn at most for each.
    expect(turns).toBeGreaterThan(50);
  });

  it("is reported when it cannot be evaluated, and does not count as warm", async () => {
    const holder = new BundleHolder({ builder });
    await holder.adopt(await bundleOf("one"), adoption);
    const evaluate = () => {
      throw new Error("no evaluation");
    };
    Object.assign(holder.require().engine, { evaluate });
    const problems: unknown[] = [];
    holder.listen((error) => problems.push(error));
    await expect.poll(() => problems).toMatchObject([{ message: "no evaluation" }]);
    expect(holder.isWarm).toBe(false);
    expect(holder.rejection).toContain("no evaluation");
  });
});
