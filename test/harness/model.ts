// The stand-in for a model that the examples use.

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** A running stand-in. */
export interface Model {
  /** For `OPENAI_BASE_URL`. */
  readonly url: string;
  /** The body of each call so far. */
  readonly requests: readonly unknown[];
  stop(): Promise<void>;
}

/** Starts it on a port of its own. */
export async function startModel(): Promise<Model> {
  const file = resolve(import.meta.dirname, "../../examples/model/server.mjs");
  // Plain JavaScript, since readers run it with whatever Node they have.
  const { startModel: start }: { startModel: () => Promise<Model> } = await import(pathToFileURL(file).href);
  return start();
}
