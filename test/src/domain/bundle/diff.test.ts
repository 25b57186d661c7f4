import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffToActive } from "../../../../src/domain/bundle/diff.ts";
import type { BundledPolicy } from "../../../../src/store/bundle/bundle.ts";

const policy = fc.record({
  policy_id: fc.constantFrom("a", "b", "c", "d", "e"),
  name: fc.constantFrom("one", "two"),
  version: fc.integer({ min: 1, max: 3 }),
});
const policies = fc.uniqueArray(policy, { selector: ({ policy_id }) => policy_id });

describe("diffToActive()", () => {
  it("turns the active bundle's policies into this one's, and says nothing else", () => {
    fc.assert(
      fc.property(policies, policies, (own, active) => {
        const diff = diffToActive(
          { version: 2, policies: own, parts: [] },
          { version: 1, policies: active, parts: [] },
        );
        const versions = versionsOf(active);
        for (const { policy_id } of diff.removed) expect(versions.delete(policy_id)).toBe(true);
        for (const { policy, activeVersion } of diff.changed) {
          expect(versions.get(policy.policy_id)).toBe(activeVersion);
          expect(policy.version).not.toBe(activeVersion);
          versions.set(policy.policy_id, policy.version);
        }
        for (const { policy_id, version } of diff.added) {
          expect(versions.has(policy_id)).toBe(false);
          versions.set(policy_id, version);
        }
        expect(versions).toEqual(versionsOf(own));
      }),
      { numRuns: 1_000, seed: 7 },
    );
  });

  it("is empty between equal policies", () => {
    fc.assert(
      fc.property(policies, (own) => {
        const parts = own.map(({ policy_id, version }) => ({ path: policy_id, digest: `${version}` }));
        const active = { version: 4, policies: own.toReversed(), parts: parts.toReversed() };
        const diff = diffToActive({ version: 9, policies: own, parts }, active);
        expect(diff).toEqual({ activeVersion: 4, added: [], removed: [], changed: [], parts: [] });
      }),
      { numRuns: 1_000, seed: 7 },
    );
  });

  it("names the parts that are new, gone or other than they were, also where the policies are equal", () => {
    const policies = [{ policy_id: "a", name: "one", version: 1 }];
    const part = (path: string, digest: string) => ({ path, digest });
    const own = [part("policies/a.json", "2"), part("lists/b.json", "5"), part("lists/c.json", "3")];
    const active = [part("policies/a.json", "1"), part("lists/b.json", "5"), part("backends/d.json", "4")];
    const diff = diffToActive({ version: 2, policies, parts: own }, { version: 1, policies, parts: active });
    expect(diff).toMatchObject({ added: [], removed: [], changed: [] });
    expect(diff.parts).toEqual([
      { path: "backends/d.json", activeDigest: "4", digest: undefined },
      { path: "lists/c.json", activeDigest: undefined, digest: "3" },
      { path: "policies/a.json", activeDigest: "1", digest: "2" },
    ]);
  });
});

function versionsOf(list: readonly BundledPolicy[]): Map<string, number> {
  return new Map(list.map(({ policy_id, version }) => [policy_id, version]));
}
