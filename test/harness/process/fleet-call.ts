// Calls of a fleet as clients make them, and a tally of how they went: before, during and after a step that an operator
// plans, and otherwise.

import { Agent, type ClientRequest, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** What came back. */
export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: callers know what they asked for
  readonly body: any;
}

/** A call. */
export interface FleetCall {
  /** What it counts as. */
  readonly kind: string;
  readonly port: number;
  readonly method: string;
  readonly path: string;
  readonly token?: string | undefined;
  readonly body?: object;
  /** Statuses that are right. */
  readonly wanted: readonly number[];
  /** Keeps its connection for later calls. Default: each call has its own. */
  readonly agent?: Agent;
  /** Whether it may be made again when its connection broke before an answer: then it is, once. */
  readonly isRepeatable: boolean;
}

/** Whether what happens at the moment is planned by the operator. */
export type Weather = "planned" | "unplanned";

/** How calls went, by kind. */
interface Count {
  calls: number;
  /** Made again since the connection was refused or broke. */
  repeated: number;
  /** Made again as the server asked for, since it was overloaded. */
  overloaded: number;
  failed: number;
}

const ownConnection = new Agent({ keepAlive: false });
/** Only to tell an answer from none: what is stopped in its tracks answers when it goes on. */
const timeoutMs = 120_000;

/** Makes calls and counts them. */
export class FleetCalls {
  #weather: Weather = "planned";
  /** Counts changes of the weather: a call that began in another one belongs to none that is planned. */
  #changes = 0;
  readonly counts: Readonly<Record<Weather, Map<string, Count>>> = { planned: new Map(), unplanned: new Map() };
  /** What went wrong while everything was planned, the first of them. */
  readonly failures: string[] = [];

  set weather(next: Weather) {
    this.#weather = next;
    this.#changes++;
  }

  /** The reply when its status is a right one; undefined otherwise. */
  async make(call: FleetCall): Promise<Reply | undefined> {
    const [weather, changes] = [this.#weather, this.#changes];
    let [repeated, overloaded] = [0, 0];
    let reply = await send(call);
    if (reply instanceof Error && call.isRepeatable) {
      repeated = 1;
      reply = await send({ ...call, agent: ownConnection });
    }
    // Where work is asked for faster than the machine does it, the server refuses before it has changed anything.
    while (isOverloaded(reply)) {
      overloaded++;
      await sleep(1_000);
      reply = await send(call);
    }
    const isRight = !(reply instanceof Error) && call.wanted.includes(reply.status);
    const isPlanned = weather === "planned" && changes === this.#changes;
    const counts = this.counts[isPlanned ? "planned" : "unplanned"];
    const count = counts.get(call.kind) ?? { calls: 0, repeated: 0, overloaded: 0, failed: 0 };
    counts.set(call.kind, count);
    count.calls++;
    count.repeated += repeated;
    count.overloaded += overloaded;
    if (!isRight) {
      count.failed++;
      const what = reply instanceof Error ? String(reply) : `${reply.status} ${JSON.stringify(reply.body)}`;
      if (isPlanned && this.failures.length < 20) this.failures.push(`${call.method} ${call.path}: ${what}`);
    }
    return isRight && !(reply instanceof Error) ? reply : undefined;
  }

  /** The sum over all kinds. */
  total(weather: Weather): Count {
    const sum = { calls: 0, repeated: 0, overloaded: 0, failed: 0 };
    for (const count of this.counts[weather].values()) {
      for (const key of ["calls", "repeated", "overloaded", "failed"] as const) sum[key] += count[key];
    }
    return sum;
  }
}

function isOverloaded(reply: Reply | Error): boolean {
  return !(reply instanceof Error) && reply.status === 503 && reply.body?.detail?.error === "overloaded";
}

/** Makes a call that is not counted; an error when there was no answer. */
export function send({ port, method, path, token, body, agent = ownConnection }: Omit<FleetCall, "kind" | "wanted">) {
  return new Promise<Reply | Error>((resolve) => {
    const text = body && JSON.stringify(body);
    const call: ClientRequest = request(
      {
        ...{ host: "127.0.0.1", port, method, path, agent, timeout: timeoutMs },
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(text !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
        },
      },
      (answer) => {
        let received = "";
        answer.setEncoding("utf8").on("data", (chunk) => {
          received += chunk;
        });
        answer.once("error", resolve);
        answer.once("end", () => resolve({ status: answer.statusCode ?? 0, body: parsed(received) }));
      },
    );
    call.once("timeout", () => call.destroy(new Error(`no answer within ${timeoutMs} ms`)));
    call.once("error", resolve);
    call.end(text);
  });
}

function parsed(text: string): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return text.slice(0, 200);
  }
}
