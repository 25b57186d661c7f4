// Exports of the log of evidence: as a file that proves itself (kit/evidence/log-file.ts), as a table, or as a ZIP with
// both and with what explains them to an auditor. Everything is read block by block in short transactions; an export of
// the same entries up to the same checkpoint has the same bytes until something of it is erased.

import { createHash } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import { csvLine } from "../../kit/archive/csv.ts";
import { type ZipFile, zipOf } from "../../kit/archive/zip-writer.ts";
import { entryCsvHeader, entryCsvLine } from "../../kit/evidence/entry-csv.ts";
import { checkpointLine, type LogEntry } from "../../kit/evidence/log-file.ts";
import { type BlockEntry, LogWriter } from "../../kit/evidence/log-writer.ts";
import { verifierKeyText } from "../../kit/evidence/note.ts";
import { manifestText, type PackagedFile, packageFiles } from "../../kit/evidence/package.ts";
import { tileWidth } from "../../kit/evidence/tile.ts";
import { notFound } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Database } from "../../store/connection/database.ts";
import { type EvidenceFilter, readBlock } from "../../store/telemetry/evidence.ts";
import {
  type AuditCheckpointRow,
  findCheckpoint,
  findLog,
  listDailyCheckpoints,
  readTiles,
} from "../../store/telemetry/evidence-log.ts";
import { noteKeyOf } from "./checkpoint-signing.ts";
import { controls, speaksTo } from "./control-map.ts";
import { type EvidenceQuery, filterOf } from "./evidence.ts";
import { readmeText } from "./evidence-readme.ts";
import type { LogKeys } from "./log-key.ts";

/** Blocks that one transaction reads: 256 entries each, of which few have long values. */
const blocksAtOnce = 2;

/** The forms of an export. */
export type EvidenceFormat = "jsonl" | "csv" | "zip";

/** What to export, and how. */
export interface EvidenceExport {
  readonly query: EvidenceQuery;
  readonly format: EvidenceFormat;
  /** Size of the checkpoint up to which entries are exported; the newest when undefined. */
  readonly treeSize: number | undefined;
}

/** The log of an export. */
interface Opened {
  readonly orgId: string;
  readonly origin: string;
  readonly checkpoint: AuditCheckpointRow;
  readonly keys: readonly string[];
  readonly filter: EvidenceFilter;
  /** The query as the export says it. */
  readonly said: JsonObject;
}

/** A part of a log: its lines, and the entries in them. */
interface Part {
  readonly lines: string;
  readonly entries: readonly LogEntry[];
}

/** Exports logs. */
export class EvidenceExports {
  readonly #database: Database;
  readonly #keys: LogKeys;

  constructor(database: Database, keys: LogKeys) {
    this.#database = database;
    this.#keys = keys;
  }

  /** Begins an export, which the log itself says. Before the first checkpoint there is nothing to export. */
  async open(caller: Caller, { query, format, treeSize }: EvidenceExport): Promise<AsyncGenerator<Uint8Array, void>> {
    const filter = filterOf(query);
    const said = saidQuery(query);
    const opened = await this.#database.transaction(caller, async (tx) => {
      const log = await findLog(tx);
      const checkpoint = await findCheckpoint(tx, treeSize);
      if (log === null || checkpoint === null) throw notFound("checkpoint");
      const keys = await this.#keys.logKeys(tx);
      tx.changed({ resource: "evidence", before: null, after: { format, tree_size: checkpoint.size, query: said } });
      return {
        ...{ orgId: caller.orgId, origin: log.origin, checkpoint, filter, said },
        keys: keys.map((jwk) => verifierKeyText(noteKeyOf(log.origin, jwk))),
      };
    });
    if (format === "zip") return zipOf(this.#package(opened));
    return format === "csv" ? this.#table(opened) : this.#lines(opened);
  }

  async *#lines(opened: Opened): AsyncGenerator<Uint8Array, void> {
    for await (const { lines } of this.#parts(opened)) yield Buffer.from(lines);
  }

  async *#table(opened: Opened): AsyncGenerator<Uint8Array, void> {
    yield Buffer.from(entryCsvHeader());
    for await (const { entries } of this.#parts(opened)) {
      if (entries.length > 0) yield Buffer.from(entries.map(entryCsvLine).join(""));
    }
  }

  async *#parts({ orgId, checkpoint, filter, said }: Opened): AsyncGenerator<Part, void> {
    const hasQuery = Object.keys(said).length > 0;
    const writer = new LogWriter(checkpoint, { hasQuery });
    const lastTiles = await this.#database.read(orgId, (tx) => readTiles(tx, writer.lastTiles()));
    yield { lines: writer.head(checkpoint.note, lastTiles), entries: [] };
    for (let n = 0; n < writer.blocks; n += blocksAtOnce) {
      const blocks = Array.from({ length: Math.min(blocksAtOnce, writer.blocks - n) }, (_, i) => n + i);
      const range = { from: n * tileWidth, to: Math.min((n + blocksAtOnce) * tileWidth, checkpoint.size) };
      const { rows, tiles } = await this.#database.read(orgId, async (tx) => ({
        rows: await readBlock(tx, filter, range),
        tiles: await readTiles(
          tx,
          blocks.flatMap((block) => writer.tilesDue(block)),
        ),
      }));
      const entries = rows.map(({ seq, entry, isForgotten }): BlockEntry => {
        return entry ?? { seq, because: isForgotten ? "retention" : "query" };
      });
      const lines = blocks.map((block) => {
        const own = entries.filter(({ seq }) => Math.floor(seq / tileWidth) === block);
        return writer.block(block, own, tiles);
      });
      yield { lines: lines.join(""), entries: entries.filter((entry) => "leaf" in entry) };
    }
    yield { lines: writer.end(), entries: [] };
  }

  /** The files of a ZIP. Erasures while it is made break it off, since the table would be another than the log. */
  async *#package(opened: Opened): AsyncGenerator<ZipFile, void> {
    const files: PackagedFile[] = [];
    const file = (name: string, content: AsyncIterable<Uint8Array>): ZipFile => ({
      name,
      content: digested(content, (digest) => files.push({ name, ...digest })),
    });
    const actions = new Map<string, number>();
    const table = createHash("sha256").update(entryCsvHeader());
    const log = async function* (parts: AsyncIterable<Part>) {
      for await (const { lines, entries } of parts) {
        for (const entry of entries) {
          const { action } = JSON.parse(entry.leaf);
          actions.set(action, (actions.get(action) ?? 0) + 1);
          table.update(entryCsvLine(entry));
        }
        yield Buffer.from(lines);
      }
    };
    yield file(packageFiles.log, log(this.#parts(opened)));
    yield file(packageFiles.entries, this.#table(opened));
    if (files.at(-1)?.sha256 !== table.digest("hex")) throw new Error("something was erased while it was exported");
    yield file(packageFiles.controls, textOf(controlsTable(actions)));
    yield file(packageFiles.checkpoints, this.#checkpoints(opened));
    yield file(packageFiles.keys, textOf(opened.keys.map((key) => `${key}\n`).join("")));
    const { origin, checkpoint, said: query } = opened;
    yield file(packageFiles.readme, textOf(readmeText({ origin, query, checkpoint })));
    const manifest = manifestText({ origin, treeSize: checkpoint.size, query, files });
    yield { name: packageFiles.manifest, content: [Buffer.from(manifest)] };
  }

  async *#checkpoints({ orgId, checkpoint }: Opened): AsyncGenerator<Uint8Array, void> {
    const notes = await this.#database.read(orgId, (tx) => listDailyCheckpoints(tx, checkpoint.size));
    yield Buffer.from(notes.map(checkpointLine).join(""));
  }
}

/** The query as exports and their entry in the log say it: what is filtered by, and nothing else. */
function saidQuery({ since, until, ...texts }: EvidenceQuery): JsonObject {
  const said = { ...texts, since: since?.toISOString(), until: until?.toISOString() };
  return Object.fromEntries(
    Object.entries(said).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function controlsTable(actions: ReadonlyMap<string, number>): string {
  const rows = controls.map((control) => {
    const { framework, control: number, title, shows, doesNotShow } = control;
    const entries = [...actions].reduce((sum, [action, count]) => sum + (speaksTo(control, action) ? count : 0), 0);
    return csvLine([framework, number, title, shows, doesNotShow, control.actions.join(" "), String(entries)]);
  });
  const header = csvLine(["framework", "control", "title", "shows", "does_not_show", "actions", "entries"]);
  return header + rows.join("");
}

async function* textOf(text: string): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from(text);
}

async function* digested(
  content: AsyncIterable<Uint8Array>,
  onEnd: (digest: Omit<PackagedFile, "name">) => void,
): AsyncGenerator<Uint8Array, void> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const part of content) {
    hash.update(part);
    bytes += part.length;
    yield part;
  }
  onEnd({ bytes, sha256: hash.digest("hex") });
}
