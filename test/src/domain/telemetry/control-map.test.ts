import { describe, expect, it } from "vitest";
import { catalog } from "../../../../runtime/engine/detectors/catalog.ts";
import { controlServices } from "../../../../src/control-services.ts";
import { controls, speaksTo } from "../../../../src/domain/telemetry/control-map.ts";
import { methodFacts } from "../../../../src/kit/rpc/options.ts";

/** Actions of methods, and those of the service itself that a control names. */
const actions = [
  ...controlServices.flatMap(({ methods }) => methods.map((method) => methodFacts(method).audit)),
  ...["evidence.forget", "gate.override", "organization.set_limit", "organization.set_plan"],
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

  it("cover the ten risks of OWASP, by detectors that there are and by the names that policies give them", () => {
    const owasp = controls.filter(({ id }) => id.startsWith("owasp-"));
    expect(owasp.map(({ label }) => label)).toEqual(
      Array.from({ length: 10 }, (_, i) => `OWASP-LLM${String(i + 1).padStart(2, "0")}`),
    );
    const known = new Set(catalog.map(({ id }) => id));
    expect(owasp.flatMap(({ detectors = [] }) => detectors).filter((id) => !known.has(id))).toEqual([]);
  });

  it("say what their entries do not show, and claim nothing", () => {
    expect(new Set(controls.map(({ id }) => id)).size).toBe(controls.length);
    for (const { shows, doesNotShow } of controls) {
      expect(doesNotShow).not.toBe("");
      expect(`${shows} ${doesNotShow}`).not.toMatch(/\b(complian|certif|satisf|fulfil|guarantee)/i);
    }
  });
});
