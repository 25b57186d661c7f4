// `npm run compare -- <checkout A> [<checkout B>]`: shows that two versions of Policy Guard behave alike. Each is
// started from its own checkout on empty data folders, gets the same inputs, and everything that it answers is recorded
// and compared: equal but for ids, times and latencies (normal.ts). Ends with 1 when there is a difference.

import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readDocuments } from "./input/documents.ts";
import { readTexts } from "./input/texts.ts";
import { type Input, observe, removeData, reopen } from "./observe.ts";
import { Checkout } from "./process/checkout.ts";
import { stopAll } from "./process/running.ts";
import { report } from "./report.ts";
import { fullSizes, quickSizes } from "./sizes.ts";
import { readVectors, worldInput } from "./world.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const usage = `npm run compare -- <checkout A> [<checkout B, this one by default>]
  --quick          a small part of everything
  --messages       the words of messages count too
  --texts FILE     further texts: JSON lines with a field "text"
  --keep FOLDER    where to leave what was recorded, and the logs`;

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void stopAll().finally(() => process.exit(1)));
}
process.exitCode = await main();

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      messages: { type: "boolean", default: false },
      texts: { type: "string" },
      keep: { type: "string" },
    },
  });
  const [rootA, rootB = root] = positionals;
  if (rootA === undefined || positionals.length > 2) {
    console.error(usage);
    return 2;
  }
  const [a, b] = [new Checkout(rootA, "A"), new Checkout(rootB, "B")];
  const folder =
    values.keep === undefined ? mkdtempSync(join(tmpdir(), "policy-guard-compare-")) : resolve(values.keep);
  const startedAtMs = performance.now();
  const tell = (label: string) => (step: string) =>
    console.log(`${((performance.now() - startedAtMs) / 1000).toFixed(0).padStart(4)} s  ${label}: ${step}`);
  const input = readInput(values);
  const observedA = await observe(a, b, { input, folder, tell: tell("A") });
  const observedB = await observe(b, a, { input, folder, tell: tell("B") });
  const reopened = await reopen(observedA, b, { input, folder, tell: tell("B") });
  const part = ["evaluations"];
  const total = report(
    [
      { title: "A and B", a: observedA.recording, b: observedB.recording },
      { title: "A, and runtime of B at A", a: observedA.recording, b: observedA.pairing, part },
      { title: "B, and runtime of A at B", a: observedB.recording, b: observedB.pairing, part },
      { title: "runtimes at each other", a: observedA.pairing, b: observedB.pairing },
      { title: "A, and B on its data", a: observedA.recording, b: reopened.probe, part },
      { title: "past of A, and as B reads it", a: observedA.past, b: reopened.past },
    ],
    console.log,
  );
  removeData([observedA, observedB]);
  if (values.keep === undefined) rmSync(folder, { recursive: true });
  console.log(`${total} differences, ${Math.round((performance.now() - startedAtMs) / 1000)} s`);
  return total === 0 ? 0 : 1;
}

interface Wanted {
  readonly quick: boolean;
  readonly messages: boolean;
  readonly texts?: string | undefined;
}

/** What both versions get, from this checkout. */
function readInput({ quick, messages, texts }: Wanted): Input {
  const sizes = quick ? quickSizes : fullSizes;
  const documents = readDocuments(root);
  const vectors = readVectors(root, globSync("test/vectors/evaluate/**/*.json", { cwd: root }).toSorted());
  const world = worldInput(root, documents, vectors);
  return {
    world,
    texts: readTexts(root, sizes.texts, texts),
    agents: { documents: documents.length, packs: world.packs },
    sizes,
    hasMessages: messages,
  };
}
