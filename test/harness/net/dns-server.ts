// A DNS server on the loopback network that says whatever a test wants (RFC 1035, questions of type A, AAAA and TXT
// only).

import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";

/** What a name answers: addresses of either family, another name, or a failure. */
export type DnsAnswer = readonly string[] | { readonly alias: string } | "nxdomain" | "servfail" | "silence";

/** A DNS server under a test's control. */
export interface DnsServer {
  /** "127.0.0.1:port", as POLICY_GUARD_DNS_SERVERS takes it. */
  readonly address: string;
  /** What each name answers; a function is asked for every question. Names that are not here do not exist. */
  readonly names: Map<string, DnsAnswer | (() => DnsAnswer)>;
  /** Texts of each name's TXT records. Names that are not here have none. */
  readonly texts: Map<string, readonly string[]>;
  /** Names that were asked for, one entry a question. */
  readonly asked: string[];
  close(): Promise<void>;
}

const types = { A: 1, CNAME: 5, TXT: 16, AAAA: 28 } as const;

/** Starts a DNS server. */
export async function startDnsServer(): Promise<DnsServer> {
  const socket = createSocket("udp4");
  const names: DnsServer["names"] = new Map();
  const texts: DnsServer["texts"] = new Map();
  const asked: string[] = [];
  socket.on("message", (query, peer) => {
    const reply = answerText(query, texts) ?? answer(query, names, asked);
    if (reply !== undefined) socket.send(reply, peer.port, peer.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { address: `127.0.0.1:${socket.address().port}`, names, texts, asked, close: () => closed(socket) };
}

async function closed(socket: Socket): Promise<void> {
  socket.close();
  await once(socket, "close");
}

/** The answer to a question of type TXT; undefined to any other. */
function answerText(query: Buffer, texts: DnsServer["texts"]): Buffer | undefined {
  const { name, end } = readName(query, 12);
  if (query.readUInt16BE(end) !== types.TXT) return undefined;
  // A text is sent in parts of at most 255 bytes (RFC 1035, section 3.3.14).
  const records = (texts.get(name) ?? []).map((text) =>
    record(
      name,
      types.TXT,
      Buffer.concat(
        (text.match(/.{1,255}/gs) ?? []).map((part) => Buffer.from(String.fromCharCode(part.length) + part, "latin1")),
      ),
    ),
  );
  return reply(query, end, records, records.length === 0 ? 3 : 0);
}

function reply(query: Buffer, end: number, records: readonly Buffer[], code: number): Buffer {
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, query.subarray(12, end + 4), ...records]);
}

function answer(query: Buffer, names: DnsServer["names"], asked: string[]): Buffer | undefined {
  const { name, end } = readName(query, 12);
  const type = query.readUInt16BE(end);
  asked.push(name);
  const records: Buffer[] = [];
  let code = 0;
  for (let at = name; ; ) {
    const entry = names.get(at) ?? "nxdomain";
    const found = typeof entry === "function" ? entry() : entry;
    if (found === "silence") return undefined;
    if (found === "servfail" || found === "nxdomain") {
      code = found === "servfail" ? 2 : 3;
      break;
    }
    if ("alias" in found) {
      records.push(record(at, types.CNAME, writeName(found.alias)));
      at = found.alias;
      continue;
    }
    for (const address of found) {
      const isV6 = address.includes(":");
      if (type === (isV6 ? types.AAAA : types.A))
        records.push(record(at, type, isV6 ? bytesOfV6(address) : bytesOfV4(address)));
    }
    break;
  }
  return reply(query, end, records, code);
}

function readName(query: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("ascii", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), end: at + 1 };
}

function writeName(name: string): Buffer {
  const labels = name.split(".").map((label) => Buffer.from(String.fromCharCode(label.length) + label, "ascii"));
  return Buffer.concat([...labels, Buffer.alloc(1)]);
}

function record(name: string, type: number, data: Buffer): Buffer {
  const fields = Buffer.alloc(10);
  fields.writeUInt16BE(type, 0);
  fields.writeUInt16BE(1, 2);
  fields.writeUInt16BE(data.length, 8);
  return Buffer.concat([writeName(name), fields, data]);
}

function bytesOfV4(address: string): Buffer {
  return Buffer.from(address.split(".").map(Number));
}

function bytesOfV6(address: string): Buffer {
  const [head = "", tail] = address.split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":").flatMap(groupsOf));
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = new Array<number>(tail === undefined ? 0 : 8 - before.length - after.length).fill(0);
  return Buffer.from([...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 0xff]));
}

function groupsOf(text: string): number[] {
  if (!text.includes(".")) return [Number.parseInt(text, 16)];
  const [a = 0, b = 0, c = 0, d = 0] = bytesOfV4(text);
  return [a * 256 + b, c * 256 + d];
}
