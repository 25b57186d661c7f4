import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "@bufbuild/protobuf";
import { verifyBody, verifyWebhook, type WebhookEvent, WebhookVerificationError } from "../../client/webhook.ts";
import { productVariables, readConfig } from "../../kit/process/config.ts";
import { defineCommand, integerOf, type Surroundings } from "../command.ts";
import { type ExitCode, exitCodes, usageFailure } from "../failure.ts";
import { decode, readBytes, readStream } from "../file.ts";
import { type Output, shown } from "../output.ts";
import { cliSchema } from "../settings.ts";

const maxSecretBytes = 4096;
const maxBodyBytes = 1024 * 1024;
const defaultPort = 8484;

/** A delivery, and whether it can be trusted. */
interface Heard {
  readonly event: WebhookEvent | undefined;
  readonly attempt: string;
  /** "verified", "unsigned" or why it is refused. */
  readonly verdict: string;
}

/** `policy-guard listen`: receives, verifies and prints deliveries of webhooks. */
export const listen = defineCommand({
  name: "listen",
  summary: "Receive deliveries of webhooks, verify and print them.",
  positionals: { label: "", min: 0, max: 0 },
  options: {
    port: {
      type: "string",
      value: "N",
      help: `Port of 127.0.0.1 to listen on; 0 takes a free one. Default: ${defaultPort}.`,
    },
    "secret-file": { type: "string", value: "FILE", help: 'File with the webhook\'s secret; "-" for standard input.' },
    count: { type: "string", value: "N", help: "Exit after this many deliveries." },
  },
  notes: `The secret may come in POLICY_GUARD_WEBHOOK_SECRET instead. Without one, deliveries are printed and not verified.
What is verified, or cannot be, is answered 204; what another key has signed, or nobody, is answered 401. With --count the
exit code is 1 when one of them was refused. A control plane on this machine delivers here when it runs with
POLICY_GUARD_ALLOW_NETWORKS=127.0.0.0/8.`,
  async run({ values, output, world }) {
    const count = integerOf(values.count, "count", 1) ?? Number.POSITIVE_INFINITY;
    const port = integerOf(values.port, "port", 0) ?? defaultPort;
    if (port > 65_535) throw usageFailure(`--port takes a port, not "${port}"`);
    return receive({ port, count, secret: await secretOf(values["secret-file"], world), output });
  },
});

async function secretOf(path: string | undefined, { env, stdin }: Surroundings): Promise<string | undefined> {
  if (path === undefined) return readConfig(cliSchema, env, productVariables).webhookSecret?.trim() || undefined;
  const text = path === "-" ? await readStream(stdin, maxSecretBytes) : decode(readBytes(path, maxSecretBytes), path);
  const secret = text.trim();
  if (secret === "") throw usageFailure(`there is no secret in ${path}`);
  return secret;
}

interface Reception {
  readonly port: number;
  readonly count: number;
  readonly secret: string | undefined;
  readonly output: Output;
}

async function receive({ port, count, secret, output }: Reception): Promise<ExitCode> {
  const over = Promise.withResolvers<ExitCode>();
  let left = count;
  let code: ExitCode = exitCodes.fine;
  const server = createServer(async (request, response) => {
    const heard = await hear(request, secret).catch(() => undefined);
    if (heard === undefined) return void response.destroy();
    const isRefused = heard.verdict !== "verified" && heard.verdict !== "unsigned";
    answer(response, isRefused ? 401 : 204);
    print(heard, output);
    if (isRefused) code = exitCodes.refused;
    left -= 1;
    if (left === 0) over.resolve(code);
  });
  server.once("error", (error) => over.reject(usageFailure(`port ${port} cannot be used: ${error.message}`)));
  server.listen(port, "127.0.0.1", () => {
    const { port: taken } = server.address() as AddressInfo; // listens on TCP
    output.note(
      `listening on http://127.0.0.1:${taken}/${secret === undefined ? ", without a secret: nothing is verified" : ""}`,
    );
    output.json({ listening: `http://127.0.0.1:${taken}/` }, { onOneLine: true });
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => over.resolve(code));
  try {
    return await over.promise;
  } finally {
    server.close();
    server.closeIdleConnections();
  }
}

function answer(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: "close" }).end();
}

async function hear(request: IncomingMessage, secret: string | undefined): Promise<Heard> {
  const body = await bodyOf(request);
  const attempt = String(request.headers["x-webhook-attempt"] ?? "?");
  if (secret === undefined) return { event: eventOf(body), attempt, verdict: "unsigned" };
  try {
    const delivery = { secret, body, headers: request.headers };
    await verifyBody(delivery);
    return { event: await verifyWebhook(delivery), attempt, verdict: "verified" };
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return { event: eventOf(body), attempt, verdict: error.message };
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBodyBytes) throw new Error("the body is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function eventOf(body: Buffer): WebhookEvent | undefined {
  try {
    const event: WebhookEvent | null = JSON.parse(body.toString("utf8"));
    return typeof event?.id === "string" && typeof event.event === "string" ? event : undefined;
  } catch {
    return undefined;
  }
}

function print({ event, attempt, verdict }: Heard, output: Output): void {
  const data: JsonObject = event?.data ?? {};
  output.line(`${shown(event?.event ?? "?")}  ${shown(event?.id ?? "?")}  attempt ${shown(attempt)}  ${verdict}`);
  output.line(`  ${shown(JSON.stringify(data))}`);
  output.json(
    { event: event === undefined ? null : { ...event }, attempt: Number(attempt) || 0, verdict },
    { onOneLine: true },
  );
}
