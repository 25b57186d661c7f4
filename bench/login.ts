// Refused sign-ins over REST: of an address without an account against a wrong password of one that has an account, in
// turn. Who times the answers must not learn who has an account.

import { newId } from "../src/kit/process/id.ts";
import { startTestControlPlane, type TestControlPlane } from "../test/harness/process/control-plane.ts";
import { somewhere } from "../test/harness/vector/account-step.ts";
import { createPerson } from "../test/harness/vector/person.ts";
import { type Bench, median, type Row } from "./measure.ts";
import { startBenchDatabase } from "./server/database.ts";

const samples = 500;
/** Below the number of failures that lock an address. */
const triesOfAddress = 4;

/** Measures refused sign-ins, one at a time. */
export const loginBench: Bench = async () => {
  const server = await startBenchDatabase();
  const openWitness = () => Promise.reject(new Error("nobody looks at what a bench leaves behind"));
  const plane = await startTestControlPlane({ urls: { ...server, openWitness, drop: async () => {} } });
  try {
    const [unknownMs, knownMs] = await timesOf(plane);
    const known = "refused sign-in, known account";
    return [
      { name: known, ...ratesOf(knownMs) },
      { name: `refused sign-in, unknown account (medians of ${samples})`, against: known, ...ratesOf(unknownMs) },
    ];
  } finally {
    await plane.stop();
    await server.stop();
  }
};

async function timesOf(plane: TestControlPlane): Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []];
  for (let index = 0; index < samples / triesOfAddress; index++) {
    const emails = [`nobody.${newId().slice(0, 8)}@example.com`, (await createPerson(plane.database)).email];
    for (let repeat = 0; repeat < triesOfAddress; repeat++) {
      for (const [kind, email] of emails.entries()) times[kind]?.push(await refusedMs(plane, email));
    }
  }
  return times;
}

async function refusedMs(plane: TestControlPlane, email: string): Promise<number> {
  const startedAtMs = performance.now();
  const request = { email, password: "not anybody's password" };
  const { status } = await plane.caller.call("rest", {
    method: "AccountService/Login",
    request,
    token: undefined,
    headers: somewhere(),
  });
  if (status !== 401) throw new Error(`a wrong sign-in was answered with ${status}`);
  return performance.now() - startedAtMs;
}

/**
 * The server runs in this process and CPU time cannot be told apart by sample: time stands for it, as sign-ins come one
 * by one.
 */
function ratesOf(times: readonly number[]): Pick<Row, "perSecond" | "cpuUs"> {
  const middleMs = median(times);
  return { perSecond: 1000 / middleMs, cpuUs: middleMs * 1000 };
}
