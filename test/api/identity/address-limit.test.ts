import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { createMovedClock, type MovedClock } from "../../harness/moved-clock.ts";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { createPerson } from "../../harness/vector/person.ts";
import { callAccount, tally } from "./people.ts";

describe("the limit of authentication requests from one address, at two processes", () => {
  let urls: TestDatabase;
  let clock: MovedClock;
  let planes: [TestControlPlane, TestControlPlane];

  beforeAll(async () => {
    urls = await createTestDatabase();
    clock = createMovedClock();
    planes = [await startTestControlPlane({ urls, clock }), await startTestControlPlane({ urls, clock })];
  });

  afterAll(async () => {
    for (const plane of planes) await plane.stop();
    await urls.drop();
  });

  // The cheapest of the limited methods.
  const knock = (address: string, at = 0) =>
    callAccount(planes[at % 2] ?? planes[0], "RefreshSession", { refresh_token: "x" }, { address });
  const knockOften = (count: number, addressOf: (n: number) => string) =>
    Promise.all(Array.from({ length: count }, (_, n) => knock(addressOf(n), n)));

  test("twenty a minute, exactly, and the answer says when to come back", async () => {
    expect(tally(await knockOften(70, () => "198.51.100.1"))).toEqual({ 401: 20, 429: 50 });
    const refused = await knock("198.51.100.1");
    expect(refused.headers.get("retry-after")).toBe("60");
    expect(refused.body).toMatchObject({ detail: { error: "rate_limited", retry_after: 60 } });
    clock.pass(59_500);
    expect((await knock("198.51.100.1")).headers.get("retry-after")).toBe("1");
    clock.pass(500);
    expect((await knock("198.51.100.1", 1)).status).toBe(401);
  });

  test("within any minute, not only those of the clock", async () => {
    const address = "198.51.100.2";
    const statuses: number[] = [];
    for (let n = 0; n < 60; n++) {
      statuses.push((await knock(address, n)).status);
      clock.pass(2_000);
    }
    for (let from = 0; from + 30 <= statuses.length; from++) {
      expect(statuses.slice(from, from + 30).filter((status) => status === 401).length).toBeLessThanOrEqual(20);
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(40);
  });

  test("two hundred an hour", async () => {
    const address = "198.51.100.3";
    let allowed = 0;
    for (let minute = 0; minute < 12; minute++) {
      allowed += tally(await knockOften(20, () => address))[401] ?? 0;
      clock.pass(60_000);
    }
    expect(allowed).toBe(200);
    expect(Number((await knock(address)).headers.get("retry-after"))).toBe(48 * 60);
  });

  test("an IPv6 address counts with its /64, and other addresses do not count with it", async () => {
    const ofOne = await knockOften(40, (n) => `2001:db8:1:2:${n.toString(16)}::${n}`);
    expect(tally(ofOne)).toEqual({ 401: 20, 429: 20 });
    expect((await knock("2001:db8:1:3::1")).status).toBe(401);
    expect(tally(await knockOften(40, (n) => `203.0.113.${n}`))).toEqual({ 401: 40 });
  });

  test("an address that has had its share may do everything else", async () => {
    const address = "198.51.100.4";
    const [plane] = planes;
    await knockOften(21, () => address);
    const { access_token: token } = await createPerson(plane.database);
    expect((await callAccount(plane, "GetMe", {}, { token, address })).status).toBe(200);
    expect((await callAccount(plane, "ListSessions", {}, { token, address })).status).toBe(200);
  });
});
