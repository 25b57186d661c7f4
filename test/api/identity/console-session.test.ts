// The console's session is a cookie. It counts only for calls of the console's own page, and only for the session that
// the page was loaded with.

import { create } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AccountService, GetMeRequestSchema } from "../../../gen/policyguard/control/v1/account_service_pb.ts";
import { listLiveSessions } from "../../../src/store/identity/session.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { eventually } from "../../harness/eventually.ts";
import { createRunningClock, type MovedClock } from "../../harness/moved-clock.ts";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { somewhere } from "../../harness/vector/account-step.ts";
import { createPerson, type Person } from "../../harness/vector/person.ts";
import { createWorld, type World } from "../../harness/vector/world.ts";

const dayMs = 86_400_000;

let urls: TestDatabase;
let clock: MovedClock;
let plane: TestControlPlane;
let world: World;
let ada: Person;

beforeAll(async () => {
  urls = await createTestDatabase();
  clock = createRunningClock();
  plane = await startTestControlPlane({ urls, clock });
  world = await createWorld(plane.database);
});
beforeEach(async () => {
  ada = await createPerson(plane.database, { orgId: world.orgId, role: "editor" });
});
afterAll(async () => {
  await plane.stop();
  await urls.drop();
});

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  /** The session's cookie as the browser would send it back; "" when it was deleted. */
  readonly cookie: string | undefined;
  readonly setCookies: readonly string[];
}

async function call(method: string, path: string, { headers = {}, body }: { headers?: object; body?: object } = {}) {
  const answer = await fetch(plane.baseUrl + path, {
    method,
    headers: { "content-type": "application/json", ...somewhere(), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const setCookies = answer.headers.getSetCookie();
  const pair = setCookies.find((line) => line.startsWith("policy_guard_session"))?.split(";", 1)[0];
  const cookie = pair?.endsWith("=") ? "" : pair;
  return { status: answer.status, body: text === "" ? {} : JSON.parse(text), cookie, setCookies } as Answer;
}

const page = (sessionId = "1") => ({ "X-Policy-Guard-Console": sessionId, "Sec-Fetch-Site": "same-origin" });

async function signIn({ email, password }: Person, headers: object = {}): Promise<Answer> {
  const body = { email, password, as_cookie: true };
  return call("POST", "/v1/auth/login", { headers: { ...page(), ...headers }, body });
}

/** Signs in and learns the session, as a page does when it is loaded. */
async function loaded(person: Person): Promise<{ readonly cookie: string; readonly sessionId: string }> {
  const { cookie = "" } = await signIn(person);
  const { body } = await call("GET", "/v1/auth/me", { headers: { ...page(), cookie } });
  return { cookie, sessionId: String(body.session_id) };
}

/** When the session ends, as it stands now. */
async function endOfSession(id: string): Promise<number> {
  const [rows] = await plane.database.readAccount(ada.account_id, (tx) =>
    listLiveSessions(tx, { limit: 10, offset: 0 }),
  );
  return rows.find((row) => row.id === id)?.expiresAt.getTime() ?? 0;
}

const policies = (headers: object) => call("GET", `/v1/orgs/${world.orgId}/policies`, { headers });

test("signing in gives a cookie that scripts cannot read, and no tokens", async () => {
  const { status, body, setCookies } = await signIn(ada);
  expect(status).toBe(200);
  expect(body).toMatchObject({ tokens: null, mfa_required: false, account: { email: ada.email } });
  expect(JSON.stringify(body)).not.toContain("gr_con_");
  expect(setCookies).toEqual([
    expect.stringMatching(
      /^policy_guard_session_\d+=gr_con_\w{39}; Path=\/; Max-Age=1209600; HttpOnly; SameSite=Strict$/,
    ),
  ]);
});

test("the page may call with it, and a session that began as tokens stays one of tokens", async () => {
  const { cookie, sessionId } = await loaded(ada);
  expect((await policies({ ...page(sessionId), cookie })).status).toBe(200);
  const body = { email: ada.email, password: ada.password };
  const tokens = await call("POST", "/v1/auth/login", { headers: page(), body });
  expect(tokens).toMatchObject({ status: 200, cookie: undefined, body: { tokens: { token_type: "Bearer" } } });
});

test("RPC callers get and send the same header, and the message carries no cookie", async () => {
  const headers = new Headers({ ...page(), ...somewhere() });
  const client = createClient(AccountService, createConnectTransport({ baseUrl: plane.baseUrl, httpVersion: "1.1" }));
  let setCookie = "";
  const answer = await client.login(
    { email: ada.email, password: ada.password, asCookie: true },
    { headers, onHeader: (header) => (setCookie = header.get("set-cookie") ?? "") },
  );
  expect(answer.setCookie).toBe("");
  expect(answer.tokens).toBeUndefined();
  headers.set("Cookie", setCookie.split(";", 1)[0] ?? "");
  const me = await client.getMe(create(GetMeRequestSchema), { headers });
  expect(me).toMatchObject({ account: { email: ada.email }, setCookie: "" });
});

describe("the cookie does not count", () => {
  const refusals: readonly [string, (sessionId: string) => object][] = [
    ["without the page's header", () => ({})],
    ["with an empty one", () => ({ "X-Policy-Guard-Console": "" })],
    ["from another site", (id) => ({ ...page(id), "Sec-Fetch-Site": "cross-site" })],
    ["from another host of the site", (id) => ({ ...page(id), "Sec-Fetch-Site": "same-site" })],
    ["from another origin", (id) => ({ ...page(id), Origin: "https://evil.example" })],
    ["from an opaque origin", (id) => ({ ...page(id), Origin: "null" })],
    ["before the page has learnt its session", () => page()],
    ["beside a bearer token that is none", (id) => ({ ...page(id), Authorization: `Bearer gr_ses_${"a".repeat(39)}` })],
  ];
  test.each(refusals)("%s", async (_name, headersFor) => {
    const { cookie, sessionId } = await loaded(ada);
    expect((await policies({ ...headersFor(sessionId), cookie })).status).toBe(401);
  });

  test("as a bearer token, and an access token not as a cookie", async () => {
    const { cookie, sessionId } = await loaded(ada);
    const [name = "", value = ""] = cookie.split("=");
    expect((await policies({ Authorization: `Bearer ${value}` })).status).toBe(401);
    expect((await policies({ ...page(sessionId), cookie: `${name}=${ada.access_token}` })).status).toBe(401);
    const headers = { ...page(ada.session_id), cookie: `${name}=${ada.access_token}` };
    expect((await policies(headers)).status).toBe(401);
  });

  test("for a page that was loaded with another session", async () => {
    const { cookie } = await loaded(ada);
    const { status, body } = await policies({ ...page(ada.session_id), cookie });
    expect({ status, body }).toMatchObject({ status: 401, body: { detail: { error: "session_changed" } } });
  });
});

test("the origin may be that of the call's own host, whatever the public address is", async () => {
  const { cookie, sessionId } = await loaded(ada);
  const { origin, port } = new URL(plane.baseUrl);
  for (const own of [origin, `http://127.0.0.1:${port}`]) {
    expect((await policies({ ...page(sessionId), cookie, Origin: own })).status).toBe(200);
  }
  const other = await policies({ ...page(sessionId), cookie, Origin: `http://127.0.0.1:${Number(port) + 1}` });
  expect(other.status).toBe(401);
});

test("another site cannot sign a browser in", async () => {
  for (const headers of [{ "X-Policy-Guard-Console": "" }, { Origin: "https://evil.example" }]) {
    const { status, cookie, setCookies } = await signIn(ada, headers);
    expect({ status, cookie, setCookies }).toEqual({ status: 401, cookie: undefined, setCookies: [] });
  }
});

test.each([
  ["/v1/auth/login", { email: "ada@example.com", password: "wrong" }],
  ["/v1/auth/login/mfa", { mfa_token: "x".repeat(43), code: "123456" }],
  ["/v1/auth/register", { email: "eve@example.com", name: "Eve", password: "seven quiet otters" }],
  ["/v1/auth/register/confirm", { token: "x".repeat(43) }],
  ["/v1/auth/invitations/accept", { token: "x".repeat(43) }],
  ["/v1/auth/sso/exchange", { code: "gr_sso_x" }],
])(
  "%s is refused to a page of another site that wants a cookie, before anything else is looked at",
  async (path, body) => {
    const forged = { "X-Policy-Guard-Console": "1", "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" };
    for (const headers of [forged, { "Sec-Fetch-Site": "same-origin" }]) {
      const {
        status,
        setCookies,
        body: answer,
      } = await call("POST", path, { headers, body: { ...body, as_cookie: true } });
      expect({ path, status, setCookies, answer }).toMatchObject({ path, status: 401, setCookies: [] });
      expect(JSON.stringify(answer)).toContain("for the console of this service");
    }
  },
);

test("signing in again ends the session that the browser had, whoever's it was", async () => {
  const first = await loaded(ada);
  const eve = await createPerson(plane.database, { orgId: world.orgId, role: "viewer" });
  const second = await signIn(eve, { cookie: first.cookie });
  expect(second.status).toBe(200);
  expect((await policies({ ...page(first.sessionId), cookie: first.cookie })).status).toBe(401);
});

test("signing out ends the session and deletes the cookie, a second time and after its end too", async () => {
  const { cookie, sessionId } = await loaded(ada);
  const out = () => call("POST", "/v1/auth/logout", { headers: { ...page(sessionId), cookie }, body: {} });
  expect(await out()).toMatchObject({ status: 204, cookie: "" });
  expect((await policies({ ...page(sessionId), cookie })).status).toBe(401);
  expect(await out()).toMatchObject({ status: 204, cookie: "" });
  expect(await call("POST", "/v1/auth/logout", { body: {} })).toMatchObject({ status: 204, cookie: "" });
});

test.each([
  ["another site", { "Sec-Fetch-Site": "cross-site" }],
  ["another port", { "Sec-Fetch-Site": "same-site", Origin: "http://127.0.0.1:1" }],
  ["another origin, as older browsers say it", { Origin: "https://evil.example" }],
])("a page of %s signs nobody out", async (_from, headers) => {
  const { cookie, sessionId } = await loaded(ada);
  const answer = await call("POST", "/v1/auth/logout", { headers: { ...headers, cookie }, body: {} });
  expect(answer).toMatchObject({ status: 204, setCookies: [] });
  expect((await policies({ ...page(sessionId), cookie })).status).toBe(200);
});

test("reading the account renews the cookie; a session that is used lives for 90 days, an unused one for 14", async () => {
  const used = await loaded(ada);
  const unused = await loaded(await createPerson(plane.database, { orgId: world.orgId, role: "viewer" }));
  const read = (headers: object) => call("GET", "/v1/auth/me", { headers });
  for (let day = 12; day < 90; day += 12) {
    clock.pass(12 * dayMs);
    const { status, setCookies } = await read({ ...page(), cookie: used.cookie });
    expect({ day, status, setCookies }).toEqual({
      day,
      status: 200,
      setCookies: [expect.stringContaining("Max-Age=1209600;")],
    });
    // The use is recorded beside the answer.
    await eventually(async () =>
      expect(await endOfSession(used.sessionId)).toBeGreaterThan(clock.now().getTime() + 5 * dayMs),
    );
    if (day === 24) expect((await read({ ...page(), cookie: unused.cookie })).status).toBe(401);
  }
  clock.pass(12 * dayMs);
  expect((await read({ ...page(), cookie: used.cookie })).status).toBe(401);
});

test("no answer lets another origin read it or send headers of its own", async () => {
  const headers = { Origin: "https://evil.example", "Access-Control-Request-Method": "GET" };
  for (const method of ["OPTIONS", "GET"]) {
    const answer = await fetch(`${plane.baseUrl}/v1/auth/me`, { method, headers });
    expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
  }
});
