// What is said of activations from before their history was kept: only what is certain.

import { describe, expect, it } from "vitest";
import { pastActivation } from "../../../../src/domain/bundle/activation-history.ts";
import type { StoredActivation } from "../../../../src/store/bundle/activation-history.ts";

const published = new Date("2026-06-01T08:00:00Z");
const later = new Date("2026-06-02T09:00:00Z");

/** An activation that has neither time nor cause, of a version that was activated as it was made. */
const old: StoredActivation = {
  ...{ activation_seq: 5, version: 4, digest: "sha256:00", cause: null, message: null, created_by: "gr_ci_x" },
  ...{ activated_at: null, previous_version: 3, source: "publish", bundle_message: "first", published_at: published },
  ...{ last_activated_at: published, last_activation_seq: 5 },
};

describe("an activation from before a history was kept", () => {
  it.each([
    ["publish", "publish"],
    ["republish", "republish"],
    ["promote:dev@7", "promote"],
  ])("of a version that %s made and activated has its time, cause and message", (source, cause) => {
    expect(pastActivation({ ...old, source }, 5)).toMatchObject({
      ...{ cause, message: "first", activatedAt: published, isInForce: true },
    });
  });

  it("of a version that was activated later has its time alone", () => {
    expect(pastActivation({ ...old, last_activated_at: later }, 6)).toMatchObject({
      ...{ cause: undefined, message: undefined, activatedAt: later, isInForce: false },
    });
  });

  it.each([
    ["of a version that was active before", { previous_version: 4 }],
    ["of a version that was activated again, or overridden", { last_activation_seq: 9 }],
  ])("%s has neither", (_, change) => {
    expect(pastActivation({ ...old, ...change }, 9)).toMatchObject({
      ...{ cause: undefined, message: undefined, activatedAt: undefined },
    });
  });
});

describe("an activation with its facts", () => {
  it("keeps them, whatever its version says", () => {
    const row = { ...old, cause: "activate", message: "why", activated_at: later } as const;
    expect(pastActivation(row, 5)).toMatchObject({ cause: "activate", message: "why", activatedAt: later });
    expect(pastActivation({ ...row, message: null }, 5).message).toBeUndefined();
  });
});
