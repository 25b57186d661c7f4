// All keys of the console. What handles them, the sheet of keys, the palette and the tooltips read them here.

import { en } from "../../text/en.ts";

const { keys: texts, nav } = en;

/** What the sheet puts together, by its title. */
export const keyGroups = {
  everywhere: texts.everywhere,
  list: texts.lists,
  trace: nav.traces,
  review: nav.review,
  editor: texts.editor,
  chart: texts.charts,
} as const;

/** Keys, and what they do. */
export interface Shortcut {
  readonly group: keyof typeof keyGroups;
  /**
   * Any of them will do. They are named as events name them, `Mod` is Ctrl or ⌘, and a blank stands between keys that
   * are pressed one after the other.
   */
  readonly keys: readonly [string, ...string[]];
  readonly does: string;
  /** It goes on while it is held. One that marks or skips would do it to what comes next, unseen. */
  readonly repeats?: true;
}

/** The first of the two keys that lead to a page. */
export const goKey = "g";

const table = {
  palette: { group: "everywhere", keys: ["Mod+k"], does: texts.palette },
  sheet: { group: "everywhere", keys: ["?"], does: texts.sheet },
  search: { group: "everywhere", keys: ["/"], does: texts.search },
  create: { group: "everywhere", keys: ["c"], does: texts.create },
  goHome: { group: "everywhere", keys: [`${goKey} h`], does: texts.goTo(nav.home) },
  goPolicies: { group: "everywhere", keys: [`${goKey} p`], does: texts.goTo(nav.policies) },
  goEnvironments: { group: "everywhere", keys: [`${goKey} e`], does: texts.goTo(nav.environments) },
  goFleet: { group: "everywhere", keys: [`${goKey} f`], does: texts.goTo(nav.fleet) },
  goTraces: { group: "everywhere", keys: [`${goKey} t`], does: texts.goTo(nav.traces) },
  goAnalytics: { group: "everywhere", keys: [`${goKey} a`], does: texts.goTo(nav.analytics) },
  goDatasets: { group: "everywhere", keys: [`${goKey} d`], does: texts.goTo(nav.datasets) },
  goBenchmarks: { group: "everywhere", keys: [`${goKey} b`], does: texts.goTo(nav.benchmarks) },
  goOrganization: { group: "everywhere", keys: [`${goKey} s`], does: texts.goTo(nav.organizationPage) },
  next: { group: "list", keys: ["j", "ArrowDown"], does: texts.next, repeats: true },
  previous: { group: "list", keys: ["k", "ArrowUp"], does: texts.previous, repeats: true },
  open: { group: "list", keys: ["Enter"], does: texts.open },
  close: { group: "list", keys: ["Escape"], does: texts.close },
  falsePositive: { group: "trace", keys: ["1"], does: en.review.mark.falsePositive },
  falseNegative: { group: "trace", keys: ["2"], does: en.review.mark.falseNegative },
  correct: { group: "trace", keys: ["3"], does: en.review.mark.correct },
  acceptable: { group: "trace", keys: ["4"], does: en.review.mark.acceptable },
  note: { group: "trace", keys: ["n"], does: texts.note },
  undo: { group: "trace", keys: ["u"], does: texts.undo },
  replay: { group: "trace", keys: ["r"], does: texts.replay },
  nextInQueue: { group: "review", keys: ["ArrowRight"], does: texts.nextInQueue, repeats: true },
  previousInQueue: { group: "review", keys: ["ArrowLeft"], does: texts.previousInQueue, repeats: true },
  skip: { group: "review", keys: ["s"], does: texts.skip },
  save: { group: "editor", keys: ["Mod+s"], does: texts.save },
  judge: { group: "editor", keys: ["Mod+Enter"], does: texts.judge },
  runTests: { group: "editor", keys: ["Mod+Shift+Enter"], does: texts.runTests },
  nextProblem: { group: "editor", keys: ["F8"], does: texts.nextProblem },
  complete: { group: "editor", keys: ["Ctrl+Space"], does: texts.complete },
  nextStep: { group: "chart", keys: ["ArrowRight", "ArrowUp"], does: texts.nextStep },
  previousStep: { group: "chart", keys: ["ArrowLeft", "ArrowDown"], does: texts.previousStep },
  firstStep: { group: "chart", keys: ["Home"], does: texts.firstStep },
  lastStep: { group: "chart", keys: ["End"], does: texts.lastStep },
  openStep: { group: "chart", keys: ["Enter"], does: texts.openStep },
} as const satisfies Readonly<Record<string, Shortcut>>;

/** What keys do, by its name. */
export type Command = keyof typeof table;

/** The keys of each command. */
export const shortcuts: Readonly<Record<Command, Shortcut>> = table;

/** All of them, in the order of the sheet. */
// `keys` forgets the names.
export const commands = Object.keys(shortcuts) as readonly Command[];

/** What an event says of the key that was pressed. */
export type KeyPress = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

/** Whether a key means the command. Where it takes several, this is the last one; those before it are `after`. */
export function isPressed(command: Command, press: KeyPress, after = ""): boolean {
  return shortcuts[command].keys.some((keys) => {
    const steps = keys.split(" ");
    const last = steps.pop() ?? "";
    return steps.join(" ") === after && isStroke(last, press);
  });
}

function isStroke(stroke: string, { key, ctrlKey, metaKey, altKey, shiftKey }: KeyPress): boolean {
  const modifiers = stroke.split("+");
  const name = modifiers.pop() ?? "";
  if (altKey || (ctrlKey || metaKey) !== modifiers.includes("Mod")) return false;
  // Keyboards differ in what has to be held for a sign such as "?".
  const isSign = modifiers.length === 0 && name.length === 1;
  if (!isSign && shiftKey !== modifiers.includes("Shift")) return false;
  return modifiers.length === 0 ? key === name : key.toLowerCase() === name.toLowerCase();
}

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);
/** How keys are written on the keyboard of this machine, where that is not their name. */
const written: Readonly<Record<string, string>> = {
  Mod: isMac ? "⌘" : "Ctrl",
  ArrowDown: "↓",
  ArrowUp: "↑",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
};

/** The keys for people: for each way to press them, one after the other. */
export function shownKeys(command: Command): readonly (readonly string[])[] {
  return shortcuts[command].keys.map((keys) => keys.split(" ").map(shownStroke));
}

function shownStroke(stroke: string): string {
  const parts = stroke.split("+").map((part) => written[part] ?? part);
  return parts.map((part) => (parts.length > 1 && part.length === 1 ? part.toUpperCase() : part)).join(" ");
}

/** The first way to press them, such as "Ctrl S" or "g p". */
export function shownKey(command: Command): string {
  return shownKeys(command)[0]?.join(" ") ?? "";
}

/** The same as `aria-keyshortcuts` has it, which knows no keys that follow each other. */
export function ariaKey(command: Command): string | undefined {
  const [first] = shortcuts[command].keys;
  return first.includes(" ") ? undefined : first.replace("Mod", isMac ? "Meta" : "Control").replace("Ctrl", "Control");
}

/** As the editor names them, such as "Mod-s". */
export function editorKey(command: Command): string {
  return shortcuts[command].keys[0].replaceAll("+", "-");
}

/** Whether it is pressed without Ctrl, so that people may switch it off (WCAG 2.1.4). */
export function isSingle(command: Command): boolean {
  return !shortcuts[command].keys[0].includes("+");
}
