// The one list of keys: nothing of the console answers to a key that is not in it, nothing in it is without a handler,
// and no two commands want the same key.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { navigationPages } from "../../console/app/pages.ts";
import {
  ariaKey,
  type Command,
  commands,
  editorKey,
  isPressed,
  isSingle,
  keyGroups,
  shortcuts,
  shownKey,
  shownKeys,
} from "../../console/part/keys/shortcuts.ts";

const folder = join(dirname(fileURLToPath(import.meta.url)), "../../console");
const sources = new Map(
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => [name, readFileSync(join(folder, name), "utf8")] as const),
);

/** Keys of what has the focus, as ARIA's patterns and forms have them; they are no commands of the page. */
const widgets = new Set([
  "part/menu.tsx",
  "part/tabs.tsx",
  "part/field.tsx",
  "part/form/found-choice.tsx",
  "part/judgement/marked-text.tsx",
  "app/palette.tsx",
  "page/trace/add-filter.tsx",
]);

test("no file asks an event for a key of its own", () => {
  const asking = [...sources].filter(([, text]) => /\[event\.key\]|\bkey === ["'`](?:.|[A-Z]\w+)["'`]/.test(text));
  const names = asking.map(([name]) => name);
  expect(new Set(names)).toEqual(widgets);
});

/** What is handed to the handlers of keys, up to where the call or the attribute ends. */
function handlersIn(text: string): string[] {
  return [...text.matchAll(/\buseKeys\(|\bkeys=\{/g)].map(({ 0: begin, index }) => {
    const from = index + begin.length;
    let depth = 1;
    let to = from;
    for (; depth > 0 && to < text.length; to += 1)
      depth += Number(/[({]/.test(text[to] ?? "")) - Number(/[)}]/.test(text[to] ?? ""));
    return text.slice(from, to);
  });
}

function isHandledIn(text: string, command: Command): boolean {
  if (new RegExp(`\\b(?:isPressed|editorKey)\\("${command}"`).test(text)) return true;
  return handlersIn(text).some((handed) => new RegExp(`[{,]\\s*${command}\\s*[:,}]`).test(handed));
}

test("the walk tells a handler from a mention", () => {
  expect(isHandledIn("useKeys(isOpen ? { close: () => open(undefined) } : {})", "close")).toBe(true);
  expect(isHandledIn("<Workbench keys={{ ...keys, judge: () => judge(), runTests }} />", "runTests")).toBe(true);
  expect(isHandledIn('if (isPressed("judge", event)) judge();', "judge")).toBe(true);
  expect(isHandledIn('useKeys({ next }); const page = { close: 1 }; <Button hotkey="close" />', "close")).toBe(false);
});

test.each(commands)("%s is handled", (command) => {
  // The frame of the page handles those that lead to pages, by the list of pages.
  const isOfPage = navigationPages.some(({ go }) => go === command);
  expect(isOfPage || [...sources.values()].some((text) => isHandledIn(text, command))).toBe(true);
});

test("no two commands that may work at once want the same key", () => {
  // A chart and an editor have the focus for theirs, and the queue is no list.
  const scopes = [
    ["everywhere", "list", "trace"],
    ["everywhere", "trace", "review"],
    ["everywhere", "editor"],
    ["chart"],
  ] as const;
  expect(new Set<string>(scopes.flat())).toEqual(new Set(Object.keys(keyGroups)));
  for (const scope of scopes) {
    const own = commands.filter((command) => scope.some((group) => group === shortcuts[command].group));
    const keys = own.flatMap((command) => shortcuts[command].keys);
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
  }
});

test("each command says what it does in words that no other of its part has", () => {
  const said = commands.map((command) => `${shortcuts[command].group}: ${shortcuts[command].does}`);
  expect(new Set(said).size).toBe(commands.length);
  expect(commands.filter((command) => shortcuts[command].does === "")).toEqual([]);
});

const bare = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };

test("a key is a command's only with just the keys that the command has held", () => {
  expect(isPressed("save", { ...bare, key: "s", ctrlKey: true })).toBe(true);
  expect(isPressed("save", { ...bare, key: "S", metaKey: true })).toBe(true);
  expect(isPressed("save", { ...bare, key: "s", ctrlKey: true, altKey: true })).toBe(false);
  expect(isPressed("skip", { ...bare, key: "s" })).toBe(true);
  expect(isPressed("skip", { ...bare, key: "s", ctrlKey: true })).toBe(false);
  expect(isPressed("judge", { ...bare, key: "Enter", ctrlKey: true, shiftKey: true })).toBe(false);
  expect(isPressed("runTests", { ...bare, key: "Enter", ctrlKey: true, shiftKey: true })).toBe(true);
  // Where Shift makes the sign, it does no harm; with an arrow it selects text.
  expect(isPressed("sheet", { ...bare, key: "?", shiftKey: true })).toBe(true);
  expect(isPressed("next", { ...bare, key: "ArrowDown" })).toBe(true);
  expect(isPressed("next", { ...bare, key: "ArrowDown", shiftKey: true })).toBe(false);
});

test("a page's key leads there after g only, and no other command follows on g", () => {
  const press = { ...bare, key: "s" };
  expect(isPressed("goOrganization", press, "g")).toBe(true);
  expect(isPressed("goOrganization", press)).toBe(false);
  expect(isPressed("skip", press, "g")).toBe(false);
});

test("keys are written as people, assistive technology and the editor read them", () => {
  expect(shownKeys("next")).toEqual([["j"], ["↓"]]);
  expect(shownKeys("goPolicies")).toEqual([["g", "p"]]);
  expect(shownKey("goPolicies")).toBe("g p");
  expect(shownKey("runTests")).toBe("Ctrl Shift Enter");
  expect(shownKey("palette")).toBe("Ctrl K");
  expect(ariaKey("next")).toBe("j");
  expect(ariaKey("runTests")).toBe("Control+Shift+Enter");
  expect(ariaKey("complete")).toBe("Control+Space");
  expect(ariaKey("goPolicies")).toBeUndefined();
  expect(editorKey("save")).toBe("Mod-s");
  expect(editorKey("complete")).toBe("Ctrl-Space");
  expect(commands.filter((command) => !isSingle(command)).map((command) => shortcuts[command].group)).toEqual([
    "everywhere",
    "editor",
    "editor",
    "editor",
    "editor",
  ]);
});
