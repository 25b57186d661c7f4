// A folder of policies to run the command in.

import { attack, newFolder, policyGuard, policyText } from "./run.ts";

const red = policyText("red", {
  more: 'tests:\n  - {name: "a <wrong> & \\"odd\\" name", stage: input, text: Hello, expect: {outcome: BLOCK}}\n',
});
/** A policy whose test passes. */
export const green = policyText("green", {
  more: `tests:\n  - {name: it blocks, stage: input, text: "${attack}", expect: {outcome: BLOCK}}\n`,
});
const broken =
  "apiVersion: policyguard/v1\nkind: Policy\nmetadata: {name: broken}\nrules:\n  - {id: a, action: BLOK}\n";

/**
 * A new folder with policies that are good, that fail their test, and that are not valid, and the command run in it.
 */
export function policyFolder() {
  const folder = newFolder({
    "good/green.yaml": green,
    "good/.hidden/broken.yaml": broken,
    "good/notes.txt": "not a policy",
    "red.yaml": red,
    "broken.yaml": broken,
  });
  return { folder, run: (...args: string[]) => policyGuard(args, { cwd: folder }) };
}
