// Predictions on their way to a benchmark that waits for them.

import type { PredictionProblem } from "../../../gen/policyguard/control/v1/benchmark_pb.ts";
import type { UploadPredictionsResponse } from "../../../gen/policyguard/control/v1/benchmark_service_pb.ts";
import { fileBytes, lineParts, plainFile } from "../dataset-file.ts";
import { refusal } from "../failure.ts";
import { counted, type Output, shown } from "../output.ts";
import type { Organization } from "../server.ts";

const pieceBytes = 256 * 1024;
/** What one call takes: less than the server would. */
const callLimits = { maxLines: 100_000, maxBytes: 32 * 2 ** 20 } as const;
/** Ids of samples that are named one by one. */
const maxNamed = 20;

/** Sends lines in as many calls as they need, and then begins the benchmark. */
export class PredictionUpload {
  readonly #server: Organization;
  readonly #benchmarkId: string;
  #lines = 0;
  /** Lines that were refused. */
  rejected = 0;
  /** Why, the first of each call, with their lines in all that was sent. */
  readonly errors: PredictionProblem[] = [];

  constructor(server: Organization, benchmarkId: string) {
    this.#server = server;
    this.#benchmarkId = benchmarkId;
  }

  /** Sends whole lines. */
  async send({ bytes, lines }: { readonly bytes: Buffer; readonly lines: number }): Promise<void> {
    const { rejected, errors } = await this.#call(bytes, { isLast: false });
    this.rejected += rejected;
    this.errors.push(...errors.map((error) => ({ ...error, line: error.line + this.#lines })));
    this.#lines += lines;
  }

  /** Begins the benchmark with what was sent. Samples about which nothing was said count as wrong. */
  begin(): Promise<UploadPredictionsResponse> {
    return this.#call(Buffer.alloc(0), { isLast: true });
  }

  #call(bytes: Buffer, { isLast }: { readonly isLast: boolean }): Promise<UploadPredictionsResponse> {
    const { benchmarks, orgId } = this.#server;
    const benchmarkId = this.#benchmarkId;
    const messages = async function* () {
      yield { orgId, benchmarkId, final: isLast };
      // Each message names what it is about: the server holds the first one's access against all others.
      for (let from = 0; from < bytes.length; from += pieceBytes)
        yield { orgId, benchmarkId, file: { data: bytes.subarray(from, from + pieceBytes) } };
    };
    // Without a limit of time: a file takes as long as it is large.
    return benchmarks.uploadPredictions(messages(), { timeoutMs: 0 });
  }
}

/** Sends the predictions in a file, with which the benchmark begins. When a line is refused, each is told instead. */
export async function sendPredictions(
  server: Organization,
  benchmarkId: string,
  path: string,
  { output, stdin }: { readonly output: Output; readonly stdin: NodeJS.ReadableStream },
): Promise<void> {
  const upload = new PredictionUpload(server, benchmarkId);
  const parts = lineParts(plainFile(fileBytes(path, stdin), path), { fromLine: 1, ...callLimits });
  for await (const part of parts) await upload.send(part);
  const { rejected, errors } = upload;
  if (rejected === 0) {
    const { missing = 0, missingSampleIds } = await upload.begin();
    if (missing === 0) return;
    output.note(`${path} says nothing about ${counted(missing, "sample")}, which count as wrong:`);
    for (const id of missingSampleIds.slice(0, maxNamed)) output.note(`  ${id}`);
    if (missing > maxNamed) output.note(`  … and ${missing - maxNamed} more: results with mismatch=missing has all`);
    return;
  }
  for (const { line, code, message } of errors) output.note(shown(`${path}:${line}: ${message} (${code})`));
  const detail = {
    errors: errors.map(({ line, sampleId = null, code, message }) => ({ line, sample_id: sampleId, code, message })),
  };
  throw refusal("predictions_refused", `${counted(rejected, "line")} of ${path} cannot be used`, { detail });
}
