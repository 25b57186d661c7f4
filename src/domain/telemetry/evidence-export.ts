// Exports of the log of evidence: as a file that proves itself (kit/evidence/log-file.ts), as a table, or as a ZIP with
// both, with what follows from them (kit/evidence/extract.ts), and with what explains them to an auditor. Everything is
// read block by block in short transactions; an export of the same entries up to the same checkpoint has the same bytes
// until something of it is erased, deleted or past its retention.

import { createHash } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { csvLine } from "../../kit/archive/csv.ts";
import { PackedText } from "../../kit/archive/packed-text.ts";
import { type ZipFile, zipOf } from "../../kit/archive/zip-writer.ts";
import { readCheckpoint } from "../../kit/evidence/checkpoint.ts";
import {
  type Extract,
  entryGapLines,
  entryTable,
  extractLine,
  extracts,
  gapHeader,
  kindOf,
  leftOutGapLine,
  manifestGapLine,
  manifestLine,
  manifestOf,
} from "../../kit/evidence/extract.ts";
import { knownEntry, memberText } from "../../kit/evidence/known-entry.ts";
import { checkpointLine, type LeftOut, type LogEntry } from "../../kit/evidence/log-file.ts";
import { type BlockEntry, type LogPart, LogWriter } from "../../kit/evidence/log-writer.ts";
import { verifierKeyText } from "../../kit/evidence/note.ts";
import { manifestText, type PackagedFile, packageFiles } from "../../kit/evidence/package.ts";
import { PackageDigests } from "../../kit/evidence/package-digest.ts";
import { SeqSet } from "../../kit/evidence/seq-set.ts";
import { tileWidth } from "../../kit/evidence/tile.ts";
import { Fault } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import { readManifests } from "../../store/bundle/bundle.ts";
import type { Database } from "../../store/connection/database.ts";
import { chunksOf } from "../../store/core/bulk.ts";
import { type EvidenceFilter, readBlock, readEntries } from "../../store/telemetry/evidence.ts";
import {
  type AuditCheckpointRow,
  findCheckpoint,
  listDailyCheckpoints,
  readTiles,
} from "../../store/telemetry/evidence-log.ts";
import { noteKeyOf } from "./checkpoint-signing.ts";
import { controls, speaksTo } from "./control-map.ts";
import { PolicyLedger } from "./control-rules.ts";
import { type EvidenceQuery, filterOf } from "./evidence.ts";
import { readmeText } from "./evidence-readme.ts";
import type { LogKeys } from "./log-key.ts";

/** Blocks that one transaction reads: 256 entries each, of which few have long values. */
const blocksAtOnce = 2;
const entriesAtOnce = blocksAtOnce * tileWidth;

/** Manifests that are held at once: each may have some hundred kilobytes. */
const manifestsAtOnce = 8;

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
      const checkpoint = await findCheckpoint(tx, treeSize);
      if (checkpoint === null) throw noCheckpoint(treeSize);
      // Checkpoints from before a restore have the log's former name.
      const { origin } = readCheckpoint(checkpoint.note);
      const keys = await this.#keys.logKeys(tx);
      tx.changed({ resource: "evidence", before: null, after: { format, tree_size: checkpoint.size, query: said } });
      return {
        ...{ orgId: caller.orgId, origin, checkpoint, filter, said },
        keys: keys.map((jwk) => verifierKeyText(noteKeyOf(origin, jwk))),
      };
    });
    if (format === "zip") return zipOf(this.#package(opened));
    return format === "csv" ? this.#table(opened) : this.#lines(opened);
  }

  async *#lines(opened: Opened): AsyncGenerator<Uint8Array, void> {
    for await (const { lines } of this.#parts(opened)) yield Buffer.from(lines);
  }

  /** The table of all entries. */
  async *#table(opened: Opened): AsyncGenerator<Uint8Array, void> {
    yield Buffer.from(entryTable.header);
    const { orgId, filter, checkpoint } = opened;
    for (let from = 0; from < checkpoint.size; from += entriesAtOnce) {
      const to = Math.min(from + entriesAtOnce, checkpoint.size);
      const rows = await this.#database.read(orgId, (tx) => readBlock(tx, filter, { from, to }));
      const lines = rows.flatMap(({ entry }) => (entry === undefined ? [] : [entryTable.lineOf(knownEntry(entry))]));
      if (lines.length > 0) yield Buffer.from(lines.join(""));
    }
  }

  /** A file that few entries have a line in. */
  async *#extract(extract: Extract, opened: Opened, seqs: SeqSet): AsyncGenerator<Uint8Array, void> {
    yield Buffer.from(extract.header);
    for await (const entries of this.#entries(opened, seqs)) {
      const lines = entries.map(knownEntry).map((entry) => extractLine(extract, entry, kindOf(entry)));
      yield Buffer.from(lines.join(""));
    }
  }

  async *#entries({ orgId }: Opened, seqs: SeqSet): AsyncGenerator<LogEntry[], void> {
    for (const some of seqs.inChunks(entriesAtOnce))
      yield await this.#database.read(orgId, (tx) => readEntries(tx, some));
  }

  /** The log in parts. */
  async *#parts({ orgId, checkpoint, filter, said }: Opened): AsyncGenerator<LogPart, void> {
    const writer = new LogWriter(checkpoint, { hasQuery: Object.keys(said).length > 0 });
    const lastTiles = await this.#database.read(orgId, (tx) => readTiles(tx, writer.lastTiles()));
    yield { lines: writer.head(checkpoint.note, lastTiles), written: [] };
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
      for (const block of blocks) {
        const own = entries.filter(({ seq }) => Math.floor(seq / tileWidth) === block);
        yield writer.block(block, own, tiles);
      }
    }
    yield writer.end();
  }

  /** The files of a ZIP. Erasures while it is made break it off, since its files would be of different logs. */
  async *#package(opened: Opened): AsyncGenerator<ZipFile, void> {
    const files: PackagedFile[] = [];
    const file = (name: string, content: AsyncIterable<Uint8Array>): ZipFile => ({
      name,
      content: digested(content, (digest) => files.push({ name, ...digest })),
    });
    const actions = new Map<string, number>();
    const policies = new PolicyLedger();
    const lines = new Map(
      [...extracts.map(({ name }) => name), packageFiles.bundles].map((name) => [name, new SeqSet()]),
    );
    const digests = new PackageDigests((name, seq) => linesOf(lines, name).add(seq));
    const gaps = new PackedText();
    const log = async function* (parts: AsyncIterable<LogPart>) {
      for await (const { lines: text, written } of parts) {
        await gaps.add(written.map((each) => (isEntry(each) ? entryGapLines(each) : leftOutGapLine(each))).join(""));
        for (const each of written) {
          if (!isEntry(each)) digests.leftOut(each);
          else {
            const entry = knownEntry(each);
            const action = memberText(entry, "action");
            actions.set(action, (actions.get(action) ?? 0) + 1);
            digests.entry(entry);
            policies.entry(entry);
          }
        }
        yield Buffer.from(text);
      }
    };
    yield file(packageFiles.log, log(this.#parts(opened)));
    for (const extract of extracts) {
      // Of everything the log is read once more; of some, the entries that were found while it was read.
      const isTable = extract === entryTable && Object.keys(opened.said).length === 0;
      const content = isTable ? this.#table(opened) : this.#extract(extract, opened, linesOf(lines, extract.name));
      yield file(extract.name, content);
    }
    const gone: number[] = [];
    yield file(
      packageFiles.bundles,
      this.#bundles(opened, { seqs: linesOf(lines, packageFiles.bundles), digests, gone }),
    );
    yield file(packageFiles.gaps, gapTable(gaps, gone));
    assertSame(files, digests);
    yield file(packageFiles.controls, textOf(controlsTable(actions, policies)));
    yield file(packageFiles.checkpoints, this.#checkpoints(opened));
    yield file(packageFiles.keys, textOf(opened.keys.map((key) => `${key}\n`).join("")));
    const { origin, checkpoint, said: query } = opened;
    yield file(packageFiles.readme, textOf(readmeText({ origin, query, checkpoint })));
    const manifest = manifestText({ origin, treeSize: checkpoint.size, query, files });
    yield { name: packageFiles.manifest, content: [Buffer.from(manifest)] };
  }

  /** The manifest of each version that was made. Those that are no longer there are added to `gone`. */
  async *#bundles(
    opened: Opened,
    { seqs, digests, gone }: { readonly seqs: SeqSet; readonly digests: PackageDigests; readonly gone: number[] },
  ): AsyncGenerator<Uint8Array, void> {
    for await (const entries of this.#entries(opened, seqs)) {
      const named = entries.flatMap((entry) => manifestOf(knownEntry(entry)) ?? []);
      for (const some of chunksOf(named, manifestsAtOnce)) {
        const ids = some.map(({ bundleId }) => bundleId);
        const found = await this.#database.read(opened.orgId, (tx) => readManifests(tx, ids));
        for (const each of some) {
          const manifest = found.get(each.bundleId) ?? null;
          digests.manifest(each, { isThere: manifest !== null });
          if (manifest === null) gone.push(each.seq);
          yield Buffer.from(manifestLine(each, manifest));
        }
      }
    }
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

/** What the export does not have: the lines that the log gave, and the manifests that are gone. */
async function* gapTable(gaps: PackedText, gone: readonly number[]): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from(gapHeader());
  yield* gaps.read();
  for (const seq of gone) yield Buffer.from(manifestGapLine(seq));
}

function linesOf(lines: ReadonlyMap<string, SeqSet>, name: string): SeqSet {
  const found = lines.get(name);
  if (found === undefined) throw new Error(`${name} is no file that follows from the log`);
  return found;
}

function isEntry(written: LogEntry | LeftOut): written is LogEntry {
  return "leaf" in written;
}

/** Throws when a file is not what it was to be when the log was read. */
function assertSame(files: readonly PackagedFile[], digests: PackageDigests): void {
  const { files: expected, hasAllManifests } = digests.end();
  const isOther = ({ name, sha256 }: PackagedFile) => (expected.get(name) ?? sha256) !== sha256;
  if (files.some(isOther) || !hasAllManifests) throw new Error("something was erased while it was exported");
}

function noCheckpoint(treeSize: number | undefined): Fault {
  const message =
    treeSize === undefined
      ? "the log has no checkpoint yet: the worker signs the first within a minute of the first entry; try again then"
      : `no checkpoint has ${treeSize} entries; GET /v1/orgs/{org_id}/evidence/checkpoints lists the sizes that there are`;
  return new Fault(Reason.NOT_FOUND, message);
}

function controlsTable(actions: ReadonlyMap<string, number>, policies: PolicyLedger): string {
  const rows = controls.map((control) => {
    const { framework, control: number, title, shows, doesNotShow, detectors = [] } = control;
    const { named, rules, tests } = policies.of(control);
    const entries = [...actions].reduce((sum, [action, count]) => sum + (speaksTo(control, action) ? count : 0), 0);
    return csvLine([
      ...[framework, number, title, shows, doesNotShow, control.actions.join(" "), String(entries)],
      ...[detectors.join(" "), String(rules), named.join(" "), String(tests)],
    ]);
  });
  const header = csvLine([
    ...["framework", "control", "title", "shows", "does_not_show", "actions", "entries"],
    ...["detectors", "rules", "rule_names", "tests"],
  ]);
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
