// The oldest runtime that understands a bundle: the newest of the versions that brought what its content uses.

import { isOlderVersion } from "../process/version.ts";

/** The version that understands bundles which use none of the features below. */
const base = "1.0.0";

type Part = { readonly path: string; readonly data: Uint8Array };

/** A feature of bundles, and the version of the runtime that brought it. */
interface Feature {
  readonly since: string;
  readonly isUsed: (part: Part) => boolean;
}

const features: readonly Feature[] = [
  { since: "1.1.0", isUsed: ({ path }) => path.startsWith("overlays/") },
  // The parameter of the detector "keywords". Another text of this spelling only keeps older runtimes out.
  { since: "1.1.0", isUsed: ({ path, data }) => path.startsWith("policies/") && contains(data, '"from_packs"') },
  // A model that the runtime runs itself.
  { since: "1.2.0", isUsed: ({ path, data }) => path.startsWith("backends/") && contains(data, '"url":"model:') },
  // What a preset says about labels, the model that a server is asked for, and protocols that came with them.
  ...[
    '"preset":{',
    '"model":"',
    ...["tei-predict", "llama-guard", "qwen3-guard"].map((shape) => `"shape":"${shape}"`),
  ].map((text) => ({
    since: "1.3.0",
    isUsed: ({ path, data }: Part) => path.startsWith("backends/") && contains(data, text),
  })),
  // The detector that these weights belong to.
  { since: "1.3.0", isUsed: ({ path }) => path === "models/content_safety.bin" },
  // When a backend is asked. Another text of this spelling only keeps older runtimes out.
  { since: "1.2.0", isUsed: ({ path, data }) => path.startsWith("policies/") && contains(data, '"ask":{') },
];

/** The oldest runtime that understands these parts. */
export function minRuntimeOf(parts: readonly Part[]): string {
  const needed = features.filter(({ isUsed }) => parts.some(isUsed)).map(({ since }) => since);
  return needed.reduce((newest, each) => (isOlderVersion(newest, each) ? each : newest), base);
}

function contains(data: Uint8Array, text: string): boolean {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).includes(text);
}
