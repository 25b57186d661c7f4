// The boots that wrote a spool, on disk: a boot is one life of the runtime's process. Within a boot a sequence number
// means one record for ever; after a power failure the next boot uses some of them again, for other records. So whoever
// has to know what was taken before asks by boot and sequence number.

import { randomUUID } from "node:crypto";
import { isUuid } from "../../../src/kit/process/id.ts";
import type { SpoolDisk } from "./disk.ts";

const bootsFile = "boots.json";

/** The records from this sequence number on, up to the next boot's first one. */
export interface SpoolBoot {
  readonly id: string;
  readonly firstSeq: number;
}

/** The boots of the records that wait, in order of their sequence numbers. */
export class BootList {
  readonly #boots: readonly SpoolBoot[];

  constructor(boots: readonly SpoolBoot[]) {
    this.#boots = boots;
  }

  /** Id of the boot that wrote this record, or "" when it is not known; and the last record that it can have written. */
  at(seq: number): { readonly id: string; readonly lastSeq: number } {
    const index = this.#boots.findLastIndex(({ firstSeq }) => firstSeq <= seq);
    const lastSeq = (this.#boots[index + 1]?.firstSeq ?? Number.POSITIVE_INFINITY) - 1;
    return { id: this.#boots[index]?.id ?? "", lastSeq };
  }
}

/**
 * Begins the boot of this process at `nextSeq`, and forgets those of which everything is acknowledged. When the disk does
 * not keep it, its records belong to no known boot, until the next start.
 */
export async function beginBoot(
  disk: SpoolDisk,
  { ackedSeq, nextSeq }: { readonly ackedSeq: number; readonly nextSeq: number },
): Promise<BootList> {
  const known = readBoots(await disk.load(bootsFile)).filter(({ firstSeq }) => firstSeq < nextSeq);
  const waiting = known.filter((_, index) => (known[index + 1]?.firstSeq ?? nextSeq) > ackedSeq + 1);
  const boot = { id: randomUUID(), firstSeq: nextSeq };
  try {
    await disk.replace(bootsFile, Buffer.from(JSON.stringify([...waiting, boot])));
    return new BootList([...waiting, boot]);
  } catch {
    return new BootList([...waiting, { id: "", firstSeq: nextSeq }]);
  }
}

// Of a damaged file nothing is believed: records of no known boot are sent one by one.
function readBoots(content: Uint8Array | undefined): SpoolBoot[] {
  try {
    const boots: unknown = JSON.parse(Buffer.from(content ?? []).toString("utf8"));
    return Array.isArray(boots) && boots.every(isBoot) ? boots : [];
  } catch {
    return [];
  }
}

function isBoot(value: unknown): value is SpoolBoot {
  if (typeof value !== "object" || value === null || !("id" in value) || !("firstSeq" in value)) return false;
  return typeof value.id === "string" && isUuid(value.id) && Number.isSafeInteger(value.firstSeq);
}
