// How the console looks and answers to whoever uses this browser. It outlives a session; what the organization has does
// not.

import { useSyncExternalStore } from "react";
import { showTimesIn } from "../text/format.ts";

/** What is chosen once for all pages, and kept in this browser. The first value is what nobody chose. */
export class Appearance<Value extends string> {
  readonly values: readonly [Value, ...Value[]];
  readonly #key: string;
  readonly #show: (value: Value) => void;
  readonly #listeners = new Set<() => void>();

  constructor(key: string, values: readonly [Value, ...Value[]], show: (value: Value) => void = () => {}) {
    this.#key = key;
    this.values = values;
    this.#show = show;
    this.#show(this.chosen());
    // What another tab chooses is shown here, too.
    addEventListener("storage", ({ key: changed }) => {
      if (changed === key || changed === null) this.#tell();
    });
  }

  /** What is shown. */
  readonly chosen = (): Value => this.#known(localStorage.getItem(this.#key));

  /** Shows and keeps a value; one that is unknown stands for the first. */
  choose(value: string): void {
    const known = this.#known(value);
    if (known === this.values[0]) localStorage.removeItem(this.#key);
    else localStorage.setItem(this.#key, known);
    this.#tell();
  }

  /** Calls back when something else is chosen. Returns what ends it. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #known(value: string | null): Value {
    return this.values.find((each) => each === value) ?? this.values[0];
  }

  #tell(): void {
    this.#show(this.chosen());
    for (const listener of this.#listeners) listener();
  }
}

/** What is chosen, as it is now. */
export function useAppearance<Value extends string>({ subscribe, chosen }: Appearance<Value>): Value {
  return useSyncExternalStore(subscribe, chosen);
}

const { dataset } = document.documentElement;

/** Light, dark, or what the system says. */
export const theme = new Appearance("policy-guard.theme", ["system", "light", "dark"], (value) => {
  if (value === "system") delete dataset.theme;
  else dataset.theme = value;
});

/** How high the rows of lists are. */
export const density = new Appearance("policy-guard.density", ["compact", "comfortable"], (value) => {
  dataset.density = value;
});

/** Whose clock times are told by: that of this machine, or UTC. */
export const clock = new Appearance("policy-guard.clock", ["local", "utc"], (value) => {
  showTimesIn(value === "utc" ? "UTC" : undefined);
});

/** Whether single keys do anything. People who dictate, or who miss keys, switch them off (WCAG 2.1.4). */
export const singleKeys = new Appearance("policy-guard.single-keys", ["on", "off"]);

const systemDark = matchMedia("(prefers-color-scheme: dark)");

/** Light or dark, as it is shown now. */
export function useShownTheme(): "light" | "dark" {
  const chosen = useAppearance(theme);
  const isDark = useSyncExternalStore(whenSystemChanges, () => systemDark.matches);
  if (chosen !== "system") return chosen;
  return isDark ? "dark" : "light";
}

function whenSystemChanges(listener: () => void): () => void {
  systemDark.addEventListener("change", listener);
  return () => systemDark.removeEventListener("change", listener);
}
