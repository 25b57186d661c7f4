// A receiver of webhooks on this machine.

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** One delivery as it came. */
export interface Delivery {
  readonly event: string;
  readonly signature: string;
  readonly body: Buffer;
}

/** A receiver at work. */
export interface Receiver {
  readonly url: string;
  readonly deliveries: readonly Delivery[];
  close(): void;
}

/** Starts a receiver that answers 204 to everything. */
export async function startReceiver(): Promise<Receiver> {
  const deliveries: Delivery[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    deliveries.push({
      event: String(request.headers["x-webhook-event"]),
      signature: String(request.headers["x-webhook-signature"]),
      body: Buffer.concat(chunks),
    });
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, deliveries, close: () => server.close() };
}

/** Whether the signature is that of the body, compared in constant time as receivers should. */
export function isSigned({ signature, body }: Delivery, secret: string): boolean {
  const wanted = Buffer.from(`sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
  const given = Buffer.from(signature);
  return wanted.length === given.length && timingSafeEqual(wanted, given);
}
