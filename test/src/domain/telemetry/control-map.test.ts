import { describe, expect, it } from "vitest";
import { controlServices } from "../../../../src/control-services.ts";
import { controls, speaksTo } from "../../../../src/domain/telemetry/control-map.ts";
import { methodFacts } from "../../../../src/kit/rpc/options.ts";

/** Actions of methods, and those of the service itself that a control names. */
const actions = [
  ...controlServices.flatMap(({ methods }) => methods.map((method) => methodFacts(method).audit)),
  ...["evidence.forget", "gate.override"],
].filter((action) => action !== "");

/** Kinds of entries that say nothing about the protection of anything. */
const ofNoControl = ["billing", "organization", "project"];

describe("the controls", () => {
  it("name only actions that there are", () => {
    const unknown = controls.flatMap((control) =>
      control.actions.filter((each) => !actions.some((action) => speaksTo({ ...control, actions: [each] }, action))),
    );
    expect(unknown).toEqual([]);
  });

  it("have every action that says something about protection", () => {
    const left = actions.filter((action) => !controls.some((control) => speaksTo(control, action)));
    expect([...new Set(left.map((action) => action.split(".")[0]))].sort()).toEqual(ofNoControl);
  });

  it("say what their entries do not show, and claim nothing", () => {
    expect(new Set(controls.map(({ id }) => id)).size).toBe(controls.length);
    for (const { shows, doesNotShow } of controls) {
      expect(doesNotShow).not.toBe("");
      expect(`${shows} ${doesNotShow}`).not.toMatch(/\b(complian|certif|satisf|fulfil|guarantee)/i);
    }
  });
});
