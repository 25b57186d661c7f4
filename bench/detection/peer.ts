// Open detectors of other people that run without a model server. They are installed in a folder of their own
// (`npm ci --prefix bench/peers`), and left out where they are not. Which, and why: docs/decisions/detection-peers.md.

import { existsSync, readFileSync } from "node:fs";
import type { Judge } from "./judge.ts";

/** Whether a peer flags a text. */
type Flag = (text: string) => boolean | Promise<boolean>;

const folder = new URL("../peers/", import.meta.url);

/** The peers as judges; none when they are not installed. */
export async function installedPeers(): Promise<readonly Judge[]> {
  if (!existsSync(new URL("node_modules/", folder))) return [];
  const { dependencies }: { readonly dependencies: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(new URL("package.json", folder), "utf8"),
  );
  const { flags }: { readonly flags: Readonly<Record<string, Flag>> } = await import(new URL("flag.mjs", folder).href);
  return Object.entries(flags).map(([name, flag]) => ({
    threshold: 0.5,
    name: `${name} ${dependencies[name]}`,
    score: ({ text }) => numberOf(flag(text)),
  }));
}

function numberOf(isFlagged: boolean | Promise<boolean>): number | Promise<number> {
  return typeof isFlagged === "boolean" ? Number(isFlagged) : isFlagged.then(Number);
}
