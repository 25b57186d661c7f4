// Searches the captured text of traces. There is no index of it, which would be another copy of what was captured: the
// texts are opened here and searched by a job of analysis, so many of them at a time.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database } from "../../store/connection/database.ts";
import { maxExamined, type TraceCursor, type TraceFilter, type Walk } from "../../store/telemetry/trace-query.ts";
import { readFirstTexts, type StoredText } from "../../store/telemetry/trace-text.ts";
import type { Analysis } from "../analysis/analysis.ts";
import { plainText } from "../analysis/packed-text.ts";
import type { TraceSeal, TraceSeals } from "./trace-text.ts";
import { prepareSearch } from "./version-window.ts";

/** Texts of one search, and their bytes: as they are stored, and again as they are when unpacked. */
export const maxTexts = 2_000;
const maxTextBytes = 16 << 20;

/** Texts that are opened before other calls have their turn. */
const openedAtOnce = 64;

/** What texts are searched with. */
interface TextSearchParts {
  readonly database: Database;
  readonly analysis: Analysis;
  readonly seals: TraceSeals;
}

/** Which texts to search. */
interface TextBounds {
  readonly after: TraceCursor | undefined;
  /** Matches after which the search ends. */
  readonly wanted: number;
}

/** Searches texts. */
export class TextSearch {
  readonly #parts: TextSearchParts;

  constructor(parts: TextSearchParts) {
    this.#parts = parts;
  }

  /** Goes along the traces that match otherwise, and looks into their texts until a bound is reached. */
  async walk(
    orgId: string,
    { text = "", ...filter }: TraceFilter & { readonly text?: string },
    { after, wanted }: TextBounds,
    signal?: AbortSignal,
  ): Promise<Walk> {
    const { analysis, database } = this.#parts;
    const { texts, seal, hasMore } = await database.read(orgId, async (tx) => {
      const search = await prepareSearch(tx, { ...filter, hasText: true });
      const found = await search.walk(tx, { after, wanted: maxTexts, maxRows: maxExamined });
      const first = await readFirstTexts(tx, found.matches.slice(0, maxTexts), maxTextBytes);
      const more = first.length < found.matches.length ? first.at(-1) : found.end;
      return { texts: first, seal: await this.#parts.seals.forReading(tx), hasMore: more };
    });
    if (texts.length === 0) return { matches: [], end: hasMore };
    const packed = await openTexts(texts, seal);
    const question = { wanted: text, texts: packed, maxMatches: wanted, maxBytes: maxTextBytes };
    const { matches, searched } = await analysis.run("searchTexts", question, { orgId, signal });
    return {
      matches: matches.flatMap((at) => texts[at] ?? []),
      end: searched < texts.length ? texts[searched - 1] : hasMore,
    };
  }
}

async function openTexts(texts: readonly StoredText[], seal: TraceSeal | undefined): Promise<Uint8Array[]> {
  const packed: Uint8Array[] = [];
  for (const [i, { id, sealed, record }] of texts.entries()) {
    if (i > 0 && i % openedAtOnce === 0) await nextTurn();
    if (sealed !== null && seal !== undefined) packed.push(seal.openPacked(id, sealed));
    else packed.push(plainText(record ?? new Uint8Array()));
  }
  return packed;
}
