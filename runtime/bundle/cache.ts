// The last good bundle on disk, so that a runtime starts without its control plane. The content that is read back is
// verified again like any other bundle, so a damaged or replaced file is refused.

import { constants } from "node:fs";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { type Bundle, BundleSchema, StatementSchema } from "../../gen/policyguard/bundle/v1/bundle_pb.ts";
import type { SignedStatement } from "../../src/kit/crypto/statement.ts";
import type { Ratchet } from "./activation.ts";
import { bundleJson } from "./bundle-json.ts";
import type { VerifiedBundle } from "./verify.ts";

/** The content of the cache, from the last run. */
export interface CachedBundle {
  /** JSON of the bundle, not verified; undefined when there is none. */
  readonly bundle: Uint8Array | undefined;
  /** The newest activation that was adopted; undefined when none is known. */
  readonly ratchet: Ratchet | undefined;
}

/** The bundle that is kept on disk. */
export interface BundleCache {
  /** Reads the cache. Never throws for damaged or missing files. */
  read(): Promise<CachedBundle>;
  /**
   * Keeps the bundle with this activation, which may be a refresh of the one that it came with. The former files stay
   * whole until the new ones are on disk. Rejects when the disk refuses to write.
   */
  write(bundle: Pick<VerifiedBundle, "bundle" | "activation">): Promise<void>;
}

const bundleFile = "bundle.json";
const ratchetFile = "ratchet.json";

/** The cache in this folder, which is created when it is missing and belongs to one process. */
export function createBundleCache({ folder }: { readonly folder: string }): BundleCache {
  let last: Promise<unknown> = Promise.resolve();
  return {
    async read() {
      const [bundle, ratchet] = await Promise.all([contentOf(folder, bundleFile), contentOf(folder, ratchetFile)]);
      return { bundle, ratchet: readRatchet(ratchet) };
    },
    write({ bundle, activation }) {
      const named = under(bundle, activation.statement);
      const ratchet = JSON.stringify(activation.ratchet);
      // Writes follow one another, so that the newest content stays. The bundle is written first: a new ratchet beside
      // an old bundle would refuse that bundle.
      const write = async () => {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await replace(folder, bundleFile, bundleJson(named));
        await replace(folder, ratchetFile, [ratchet]);
      };
      const next = last.then(write, write);
      last = next.catch(() => undefined);
      return next;
    },
  };
}

function under({ manifest, parts, keys }: Bundle, { payload, signatures }: SignedStatement): Bundle {
  return create(BundleSchema, {
    manifest,
    activation: create(StatementSchema, { payload, signatures: signatures.map((signature) => ({ ...signature })) }),
    parts,
    keys,
  });
}

async function contentOf(folder: string, name: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(join(folder, name));
  } catch {
    return undefined;
  }
}

/** Writes a file so that after a crash the old or the new content is there, never a mixture. */
async function replace(folder: string, name: string, chunks: Iterable<string>): Promise<void> {
  const temporary = join(folder, `${name}.new`);
  try {
    const file = await open(temporary, "w", 0o600);
    try {
      for (const chunk of chunks) await file.appendFile(chunk);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, join(folder, name));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  const parent = await open(folder, constants.O_RDONLY);
  try {
    await parent.sync();
  } finally {
    await parent.close();
  }
}

function readRatchet(bytes: Uint8Array | undefined): Ratchet | undefined {
  if (bytes === undefined) return undefined;
  try {
    const { activationSeq, digest, kids, issuedAt } = JSON.parse(Buffer.from(bytes).toString("utf8"));
    const isWhole = Number.isSafeInteger(activationSeq) && typeof digest === "string" && Array.isArray(kids);
    if (!isWhole) return undefined;
    return { activationSeq, digest, kids: kids.map(String), ...(typeof issuedAt === "string" && { issuedAt }) };
  } catch {
    return undefined;
  }
}
