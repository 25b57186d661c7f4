// The libraries of the add-on for models, which are installed apart (`npm run setup-models`): the product runs without
// them, and nobody who uses no models downloads 200 MB. Only what is used of them is declared here.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** A tensor of ONNX Runtime. */
export interface Tensor {
  readonly type: string;
  readonly dims: readonly number[];
  readonly data: unknown;
}

/** One input or output of a graph. Dimensions that are not fixed are names. */
export interface ValueMetadata {
  readonly name: string;
  readonly isTensor: boolean;
  readonly type?: string;
  readonly shape?: readonly (number | string)[];
}

/** A loaded graph. */
export interface Session {
  readonly inputNames: readonly string[];
  readonly inputMetadata: readonly ValueMetadata[];
  readonly outputMetadata: readonly ValueMetadata[];
  run(feeds: Readonly<Record<string, Tensor>>): Promise<Readonly<Record<string, Tensor>>>;
  release(): Promise<void>;
}

/** What is used of `onnxruntime-node`. */
export interface OnnxRuntime {
  readonly InferenceSession: {
    create(path: string, options: Readonly<Record<string, unknown>>): Promise<Session>;
  };
  readonly Tensor: new (type: "int64", data: BigInt64Array, dims: readonly number[]) => Tensor;
}

/** A tokenizer of a `tokenizer.json`. */
export interface Tokenizer {
  encode(text: string, options: { readonly add_special_tokens: boolean }): { readonly ids: readonly number[] };
}

/** What is used of `@huggingface/tokenizers`. */
export interface Tokenizers {
  readonly Tokenizer: new (tokenizer: object, config: object) => Tokenizer;
}

/** The libraries of the add-on. */
export interface Addon {
  readonly onnx: OnnxRuntime;
  readonly tokenizers: Tokenizers;
}

/** Beside the sources as beside the packed files. */
const folder = join(import.meta.dirname, "addon");

/** What to do about an add-on that is not there. */
export const addonMissing =
  'the add-on for models is not installed: run "npm run setup-models" in the checkout, or pack the runtime with ' +
  '"npm run pack-runtime -- --models"';

/** Whether the add-on is installed. */
export function isAddonInstalled(): boolean {
  return ["onnxruntime-node", "@huggingface/tokenizers"].every((name) =>
    existsSync(join(folder, "node_modules", name, "package.json")),
  );
}

/** Loads the add-on, native code included. */
export function loadAddon(): Addon {
  if (!isAddonInstalled()) throw new Error(addonMissing);
  const load = createRequire(join(folder, "package.json"));
  return { onnx: load("onnxruntime-node"), tokenizers: load("@huggingface/tokenizers") };
}
