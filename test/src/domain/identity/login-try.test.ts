// Locks, against a real database: two sets of connections stand for two processes.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LoginTries, type TryResult } from "../../../../src/domain/identity/login-try.ts";
import { Fault } from "../../../../src/kit/fault/fault.ts";
import { newId } from "../../../../src/kit/process/id.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { createMovedClock, type MovedClock } from "../../../harness/moved-clock.ts";

let urls: TestDatabase;
let databases: Database[];
let clock: MovedClock;
let tries: LoginTries[];
let email: string;
const call = { action: "account.sign_in", requestId: "test", address: "192.0.2.1" };

beforeAll(async () => {
  urls = await createTestDatabase();
  const open = () => openDatabase({ url: urls.applicationUrl, poolSize: 8 });
  databases = [await open(), await open()];
});

afterAll(async () => {
  await Promise.all(databases.map((database) => database.close()));
  await urls.drop();
});

beforeEach(() => {
  clock = createMovedClock();
  tries = databases.map((database) => new LoginTries(database, clock));
  email = `${newId()}@example.com`;
});

/** Makes a try with this outcome; "locked <seconds>" when it was not made. */
async function attempt(outcome: TryResult<string>["outcome"], at = 0): Promise<string> {
  const process = tries[at];
  if (process === undefined) throw new Error("there are two processes");
  try {
    return await process.run(email, call, async () => ({ outcome, value: outcome }));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.extra.retry_after === undefined ? error.message : `locked ${error.extra.retry_after}`;
  }
}

async function attempts(outcomes: readonly TryResult<string>["outcome"][]): Promise<string[]> {
  const answers: string[] = [];
  for (const outcome of outcomes) answers.push(await attempt(outcome));
  return answers;
}

const minuteMs = 60_000;
const wrong = (count: number) => Array.from({ length: count }, () => "wrong" as const);

describe("LoginTries", () => {
  test("lock after five failures in a row, for all who try, and say for how long", async () => {
    expect(await attempts(wrong(5))).toEqual(wrong(5));
    expect(await attempts(["wrong", "right"])).toEqual(["locked 60", "locked 60"]);
    clock.pass(59_001);
    expect(await attempt("right", 1)).toBe("locked 1");
    clock.pass(999);
    expect(await attempt("right", 1)).toBe("right");
  });

  test("lock twice as long with each further failure, up to a day", async () => {
    await attempts(wrong(5));
    const locks: number[] = [];
    for (let round = 0; round < 14; round++) {
      const [, seconds] = (await attempt("wrong")).split(" ");
      locks.push(Number(seconds) / 60);
      clock.pass(Number(seconds) * 1_000);
      expect(await attempt("wrong")).toBe("wrong");
    }
    expect(locks).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1440, 1440, 1440]);
  });

  test("start again after a success, and after a day without a try", async () => {
    await attempts([...wrong(4), "right"]);
    expect(await attempts([...wrong(4)])).toEqual(wrong(4));
    clock.pass(24 * 60 * minuteMs + 1);
    expect(await attempts(wrong(5))).toEqual(wrong(5));
    expect(await attempt("wrong")).toBe("locked 60");
  });

  test("a password that is right with a code to come neither counts nor absolves", async () => {
    expect(await attempts([...wrong(4), "undecided", "undecided", "wrong"])).toHaveLength(7);
    expect(await attempt("undecided")).toBe("locked 60");
    clock.pass(minuteMs);
    expect(await attempts(["undecided", "undecided", "wrong"])).toEqual(["undecided", "undecided", "wrong"]);
    expect(await attempt("right")).toBe("locked 120");
  });

  test("a try that breaks off does not count", async () => {
    for (let n = 0; n < 8; n++) {
      const broken = tries[0]?.run(email, call, () => Promise.reject(new Error("the database is away")));
      await expect(broken).rejects.toThrow("the database is away");
    }
    expect(await attempt("right")).toBe("right");
  });

  test("let five of a hundred wrong ones through that come at once at two processes", async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => attempt("wrong", n % 2)));
    expect(answers.filter((answer) => answer === "wrong")).toHaveLength(5);
    expect(answers.filter((answer) => answer.startsWith("locked"))).toHaveLength(95);
  });

  test("let all of a hundred right ones through that come at once at two processes", async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => attempt("right", n % 2)));
    expect(answers).toEqual(answers.map(() => "right"));
  });

  test("of one address do not touch another", async () => {
    await attempts(wrong(6));
    email = `${newId()}@example.com`;
    expect(await attempt("right")).toBe("right");
  });
});
