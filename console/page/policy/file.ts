// A policy in a file of this machine, on its way from the list of policies to the workbench.

import { flow } from "../../data/policy-addition.ts";

/** What the server takes as a document. */
export const maxDocumentKib = 256;

/** A file that was opened, and its text. */
export interface OpenedFile {
  readonly name: string;
  readonly text: string;
}

let opened: OpenedFile | undefined;

/** Keeps what was opened for the workbench, which is another page. It is in no address and in no storage. */
export function handOver(file: OpenedFile): void {
  opened = file;
}

/** What was opened last, once. */
export function takeOpened(): OpenedFile | undefined {
  const taken = opened;
  opened = undefined;
  return taken;
}

/** The text of a file; undefined where it has bytes that are no text. */
export function textIn(bytes: BufferSource): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * The document with the name of its file where it has none of its own. Otherwise it stays as it was written, and so does
 * one whose metadata is written in a way that takes no line more.
 */
export function namedAfter(fileName: string, text: string): string {
  const name = nameIn(fileName);
  if (name === "") return text;
  if (/^\s*\{/.test(text)) return namedJson(name, text);
  const lines = text.split("\n");
  const at = lines.findIndex((line) => /^metadata\s*:/.test(line));
  if (at < 0) lines.splice(headEnd(lines), 0, "metadata:", `  name: ${flow(name)}`);
  else if (/^metadata\s*:\s*(?:\{\s*\})?\s*(?:#.*)?$/.test(lines[at] ?? "")) nameBlock(lines, at, name);
  return lines.join("\n");
}

/** "support-bot" for "support bot.yaml", as far as policies may be called so. */
function nameIn(fileName: string): string {
  const base = fileName.replace(/\.(?:ya?ml|json)$/i, "");
  return base
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+|-+$/g, "")
    .slice(0, 128);
}

/** Where the lines end that say what the document is. */
function headEnd(lines: readonly string[]): number {
  const last = lines.findLastIndex((line) => /^(?:apiVersion|kind)\s*:/.test(line));
  return last >= 0 ? last + 1 : lines.findIndex((line) => !/^(?:#.*|---.*|\s*)$/.test(line));
}

/** Adds the name to the block that begins in a line, unless it has one. */
function nameBlock(lines: string[], at: number, name: string): void {
  const [first = ""] = lines.slice(at + 1).filter((line) => !/^\s*(?:#.*)?$/.test(line));
  const indent = /^\s+/.exec(first)?.[0];
  const end = lines.findIndex((line, index) => index > at && /^[^\s#]/.test(line));
  const block = lines.slice(at + 1, end < 0 ? undefined : end);
  if (block.some((line) => line.startsWith(`${indent}name:`))) return;
  const head = (lines[at] ?? "").replace(/\s*\{\s*\}/, "");
  lines.splice(at, 1, head, `${indent ?? "  "}name: ${flow(name)}`);
}

function namedJson(name: string, text: string): string {
  try {
    const document: Record<string, unknown> = JSON.parse(text);
    const metadata = document.metadata ?? {};
    if (typeof metadata !== "object" || "name" in metadata) return text;
    return `${JSON.stringify({ ...document, metadata: { name, ...metadata } }, null, 2)}\n`;
  } catch {
    return text;
  }
}
