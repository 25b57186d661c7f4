// A file on its way to the server. `fetch` does not say how much of a body has been sent, so this is an
// XMLHttpRequest, under the same session and with the same failures.

import { Code, ConnectError } from "@connectrpc/connect";
import { failureOfAnswer } from "../../data/rest.ts";
import { pageHeaders } from "../../data/transport.ts";

const mediaTypes: Readonly<Record<string, string>> = {
  csv: "text/csv",
  json: "application/json",
  gz: "application/gzip",
};

/** What to send, and where. */
export interface Upload {
  readonly orgId: string;
  readonly datasetId: string;
  readonly file: File;
  readonly onDuplicate: string;
  readonly mapping: string;
}

/**
 * Sends a file, and returns the id of its import. `onSent` is told the share that has been sent; the signal ends it.
 */
export async function upload(
  { orgId, datasetId, file, onDuplicate, mapping }: Upload,
  { onSent, signal }: { readonly onSent: (share: number) => void; readonly signal: AbortSignal },
): Promise<string> {
  const parameters = new URLSearchParams({ on_duplicate: onDuplicate });
  if (mapping.trim() !== "") parameters.set("mapping", mapping);
  // The name before ".gz" says the format of what is compressed.
  const format = /\.(jsonl|csv|json)(?:\.gz)?$/i.exec(file.name)?.[1]?.toLowerCase();
  if (format !== undefined) parameters.set("format", format);
  const answer = await send(`/v1/orgs/${orgId}/datasets/${datasetId}/import?${parameters}`, file, { onSent, signal });
  if (!answer.ok) throw await failureOfAnswer(answer);
  const { id } = (await answer.json()) as { readonly id: string };
  return id;
}

function send(
  path: string,
  file: File,
  { onSent, signal }: { readonly onSent: (share: number) => void; readonly signal: AbortSignal },
): Promise<Response> {
  const request = new XMLHttpRequest();
  const stop = () => request.abort();
  signal.addEventListener("abort", stop);
  return new Promise<Response>((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) => onSent(total === 0 ? 1 : loaded / total);
    request.onload = () => resolve(new Response(request.responseText, { status: request.status }));
    request.onerror = () => reject(new ConnectError("the connection broke off", Code.Unavailable));
    request.onabort = () => reject(new DOMException("stopped", "AbortError"));
    request.open("POST", path);
    const extension = /\.(\w+)$/.exec(file.name)?.[1]?.toLowerCase() ?? "";
    for (const [name, value] of pageHeaders()) request.setRequestHeader(name, value);
    request.setRequestHeader("Content-Type", mediaTypes[extension] ?? "application/x-ndjson");
    request.send(file);
  }).finally(() => signal.removeEventListener("abort", stop));
}
