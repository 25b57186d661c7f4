// What a command prints. Results go to standard output, remarks and errors to standard error, so that a result can be
// piped. With --json standard output has one JSON document and nothing else.

import { styleText } from "node:util";
import type { JsonValue } from "@bufbuild/protobuf";
import type { Failure } from "./failure.ts";

/** The streams that a command writes to. */
export interface Streams {
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** A colour or a weight of text. */
export type Style = Exclude<Parameters<typeof styleText>[0], readonly unknown[]>;

/** Prints for people or, with `isJson`, for programs. */
export class Output {
  readonly isJson: boolean;
  /** Whether people look at standard output. */
  readonly isTerminal: boolean;
  readonly #streams: Streams;

  constructor(streams: Streams, { isJson }: { readonly isJson: boolean }) {
    this.#streams = streams;
    this.isJson = isJson;
    this.isTerminal = streams.stdout.isTTY === true && !isJson;
  }

  /** A line of the result, for people. */
  line(text = ""): void {
    if (!this.isJson) this.#streams.stdout.write(`${text}\n`);
  }

  /** A remark beside the result, for people. */
  note(text: string): void {
    if (!this.isJson) this.#streams.stderr.write(`${text}\n`);
  }

  /** The result, for programs. On one line when more will follow. */
  json(value: JsonValue, { onOneLine = false }: { readonly onOneLine?: boolean } = {}): void {
    if (this.isJson) this.#streams.stdout.write(`${JSON.stringify(value, null, onOneLine ? undefined : 2)}\n`);
  }

  /** Text as it is, in either form of output and without an added line break. */
  raw(text: string): void {
    this.#streams.stdout.write(text);
  }

  /** Coloured where standard output is a terminal that has colours and NO_COLOR is not set. */
  styled(style: Style, text: string): string {
    // Node's types ask for a stream of its own; it looks at isTTY and at the environment only.
    return styleText(style, text, { stream: this.#streams.stdout as NodeJS.WriteStream });
  }

  /** Prints a failure. */
  failure({ code, message, hint, detail }: Failure, form: { readonly onOneLine?: boolean } = {}): void {
    if (this.isJson) {
      this.json({ error: { code, message, hint: hint ?? null, ...(detail === undefined ? {} : { detail }) } }, form);
      return;
    }
    const stream = this.#streams.stderr;
    const label = styleText("red", "error:", { stream: stream as NodeJS.WriteStream }); // as above
    stream.write(`${label} ${shown(message)}\n${hint === undefined ? "" : `${shown(hint)}\n`}`);
  }
}

/**
 * Foreign text in a form that is safe to print: a document or a server must not be able to control the terminal. Keeps
 * line breaks and tabs.
 */
export function shown(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to go
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

/** "1 test", "2 tests". */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** Rows as aligned columns, two spaces apart. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
