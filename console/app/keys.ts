// The keys of the console, in one list: what the sheet of keys shows is what the handlers know.

import { createKey } from "../part/keys.ts";
import { en } from "../text/en.ts";
import { navigationPages } from "./pages.ts";

const texts = en.keys;

/** Keys, and what they do. Several of one entry are pressed one after the other. */
export interface KeyEntry {
  readonly keys: readonly string[];
  readonly does: string;
}

/** The keys of each part of the console. */
export const keyGroups: readonly { readonly title: string; readonly entries: readonly KeyEntry[] }[] = [
  {
    title: texts.everywhere,
    entries: [
      { keys: ["Ctrl K"], does: texts.palette },
      { keys: ["?"], does: texts.sheet },
      { keys: ["/"], does: texts.search },
      { keys: [createKey], does: texts.create },
      ...navigationPages.flatMap(({ key, title }) =>
        key === undefined ? [] : [{ keys: ["g", key], does: texts.goTo(title) }],
      ),
    ],
  },
  {
    title: en.nav.traces,
    entries: [
      { keys: ["j"], does: texts.next },
      { keys: ["k"], does: texts.previous },
      { keys: ["Esc"], does: texts.close },
      { keys: ["1 – 4"], does: texts.mark },
      { keys: ["n"], does: texts.note },
      { keys: ["u"], does: texts.undo },
      { keys: ["r"], does: texts.replay },
    ],
  },
  {
    title: en.nav.review,
    entries: [
      { keys: ["← →"], does: texts.nextOrPrevious },
      { keys: ["s"], does: texts.skip },
    ],
  },
  {
    title: texts.editor,
    entries: [
      { keys: ["Ctrl S"], does: texts.save },
      { keys: ["Ctrl Enter"], does: texts.judge },
      { keys: ["Ctrl Shift Enter"], does: texts.runTests },
      { keys: ["F8"], does: texts.nextProblem },
      { keys: ["Ctrl Space"], does: texts.complete },
      { keys: ["Tab"], does: texts.leave },
    ],
  },
  {
    title: texts.charts,
    entries: [
      { keys: ["← →"], does: texts.step },
      { keys: ["Enter"], does: texts.open },
    ],
  },
];
