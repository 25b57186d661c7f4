// A directory of many users: pages, filters and changes find what they shall, and `npm run assurance -- scim-large`
// measures how long they take with 10,000.

import { afterAll, beforeAll, expect, test } from "vitest";
import { isAssurance, reportSample, sampleOf } from "../../../scripts/assurance/sample.ts";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { connectDirectory, type Directory } from "./directory.ts";

const { n } = sampleOf({ n: 400, seed: 1 });
/** Calls of each kind. */
const calls = isAssurance() ? 200 : 3;
/** What the slowest call of a hundred may take, where time is measured. */
const mostMs = 200;

let plane: TestControlPlane;
let directory: Directory;

beforeAll(async () => {
  plane = await startTestControlPlane();
  directory = await connectDirectory(plane);
  await fill(directory, n);
});

afterAll(() => plane.stop());

/** Users as a directory would have made them, each with an account. */
async function fill({ world, domain }: Directory, count: number): Promise<void> {
  const witness = await plane.witness();
  await witness.query(
    `with made as (
       insert into account (id, email, email_key, email_verified_at, name, created_at, updated_at)
       select gen_random_uuid(), 'user' || i || '@' || $2, 'user' || i || '@' || $2, now(), 'User ' || i, now(), now()
       from generate_series(1, $3::int) i returning id, email, name),
     joined as (
       insert into member (org_id, id, account_id, email, email_key, role, state, created_at, updated_at)
       select $1, gen_random_uuid(), id, email, email, 'viewer', 'active',
         timestamptz '2026-01-01' + substring(email from 'user(\\d+)')::int * interval '1 second', now()
       from made returning id, email, account_id)
     insert into scim_user (org_id, member_id, user_name, user_name_key, external_id, attributes, version, updated_at)
     select $1, j.id, j.email, j.email, substring(j.email from 'user(\\d+)'),
       jsonb_build_object('displayName', a.name, 'title', 'Engineer ' || substring(j.email from 'user(\\d+)'),
         'name', jsonb_build_object('givenName', 'User', 'familyName', a.name),
         'emails', jsonb_build_array(jsonb_build_object('value', j.email, 'type', 'work', 'primary', true))), 1, now()
     from joined j join made a on a.id = j.account_id`,
    [world.orgId, domain, count],
  );
  await witness.query(
    `insert into scim_group_member (org_id, group_id, member_id)
     select u.org_id, g.id, u.member_id from scim_user u join scim_group g on g.org_id = u.org_id and g.role = 'viewer'
     where u.org_id = $1`,
    [world.orgId],
  );
  await witness.query(
    `insert into scim_user_address (org_id, address_key, member_id)
     select org_id, user_name_key, member_id from scim_user where org_id = $1`,
    [world.orgId],
  );
  await witness.query("analyze account, member, scim_user, scim_user_address, scim_group, scim_group_member");
}

test("pages, filters and changes of a large directory find what they shall", async () => {
  const { call, domain } = directory;
  const find = (filter: string) => call("GET", `/Users?filter=${encodeURIComponent(filter)}`);
  const numbers = Array.from({ length: calls }, (_, i) => 1 + ((i * 7919) % n));
  const kinds: Record<string, (i: number) => Promise<void>> = {
    first_page: async () => {
      const { body } = await call("GET", "/Users?startIndex=1&count=100");
      expect([body.totalResults, body.Resources.length]).toEqual([n, 100]);
    },
    middle_page: async () => {
      const { body } = await call("GET", `/Users?startIndex=${n / 2}&count=100`);
      expect(body.Resources[0].externalId).toBe(String(n / 2));
    },
    by_user_name: async (i) => {
      const { body } = await find(`userName eq "USER${i}@${domain}"`);
      expect(body.Resources.map((each: { externalId: string }) => each.externalId)).toEqual([String(i)]);
    },
    by_external_id: async (i) => {
      expect((await find(`externalId eq "${i}"`)).body.Resources[0].userName).toBe(`user${i}@${domain}`);
    },
    by_email: async (i) => {
      const { body } = await find(`emails[type eq "work"].value eq "User${i}@${domain}"`);
      expect(body.Resources.map((each: { externalId: string }) => each.externalId)).toEqual([String(i)]);
    },
    by_emails: async (i) => {
      const { body } = await find(`emails.value eq "user${i}@${domain}"`);
      expect(body.totalResults).toBe(1);
    },
    by_display_name: async (i) => {
      expect((await find(`displayName eq "user ${i}"`)).body.totalResults).toBe(1);
    },
    by_part: async (i) => {
      expect((await find(`userName sw "user${i}@" and active eq true`)).body.totalResults).toBe(1);
    },
    patch: async (i) => {
      const { body } = await find(`externalId eq "${i}"`);
      const change = { Operations: [{ op: "replace", path: "title", value: `Title ${i}` }] };
      const started = performance.now();
      const answer = await call("PATCH", `/Users/${body.Resources[0].id}`, change);
      patches.push(performance.now() - started);
      expect(answer.body.title).toBe(`Title ${i}`);
    },
    // The group has all users.
    group_patch: async (i) => {
      const { body } = await find(`externalId eq "${i}"`);
      const group = encodeURIComponent('displayName eq "viewer"');
      const { body: groups } = await call("GET", `/Groups?excludedAttributes=members&filter=${group}`);
      for (const op of ["remove", "add"]) {
        const change = { Operations: [{ op, path: "members", value: [{ value: body.Resources[0].id }] }] };
        const started = performance.now();
        const answer = await call("PATCH", `/Groups/${groups.Resources[0].id}`, change);
        groupPatches.push(performance.now() - started);
        expect(answer.status).toBe(204);
      }
    },
  };
  const patches: number[] = [];
  const groupPatches: number[] = [];
  const figures: Record<string, number> = {};
  for (const [name, work] of Object.entries(kinds)) {
    const times: number[] = [];
    for (const number of numbers) {
      const started = performance.now();
      await work(number);
      times.push(performance.now() - started);
    }
    const own: Record<string, number[]> = { patch: patches, group_patch: groupPatches };
    const measured = (own[name] ?? times).toSorted((a, b) => a - b);
    figures[`${name}_p99_ms`] = Math.round(measured[Math.ceil(measured.length * 0.99) - 1] ?? 0);
  }
  const slow = Object.values(figures).filter((each) => each > mostMs).length;
  reportSample({ n, failures: slow, figures });
});
