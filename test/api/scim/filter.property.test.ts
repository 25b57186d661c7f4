// Random filters over random users: what the database finds is what the filter says of each user as it is shown. So a
// provider can rely on a filter as if it had read everybody and compared by itself.

import type { JsonObject } from "@bufbuild/protobuf";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { reportSample, sampleOf } from "../../../scripts/assurance/sample.ts";
import { parseFilter } from "../../../src/domain/scim/filter.ts";
import { fulfils } from "../../../src/domain/scim/match.ts";
import { userShape } from "../../../src/domain/scim/schema.ts";
import { userCondition } from "../../../src/domain/scim/user-filter.ts";
import { userResource } from "../../../src/domain/scim/user-resource.ts";
import { listScimUsers } from "../../../src/store/scim/scim-user.ts";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { connectDirectory, type Directory } from "./directory.ts";

const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const { n, seed } = sampleOf({ n: 400, seed: 19 });
const users = 40;

let plane: TestControlPlane;
let directory: Directory;

const word = fc.constantFrom("ada", "ADA", "Bo", "b", "é", "É", "%", "_", "a_a", 'q"t', "x\\y", "'", "work", "?", "ß");
const type = fc.constantFrom("work", "home", "Other");
const several = fc.array(
  fc.record(
    { value: word, type, display: word, primary: fc.constant(false) },
    { requiredKeys: [], noNullPrototype: true },
  ),
  { maxLength: 3 },
);

const user = fc.record(
  {
    externalId: fc.option(word, { nil: undefined }),
    active: fc.boolean(),
    displayName: word,
    title: word,
    name: fc.record({ givenName: word, familyName: word }, { requiredKeys: [] }),
    phoneNumbers: several,
    moreEmails: fc.array(fc.record({ value: word, type }), { maxLength: 2 }),
    department: word,
    manager: word,
    hasEmails: fc.boolean(),
  },
  { requiredKeys: ["active", "hasEmails"] },
);

beforeAll(async () => {
  plane = await startTestControlPlane();
  directory = await connectDirectory(plane, { authority: "scim_owner" });
  const { call, domain, world } = directory;
  // Members about whom the directory says nothing are users too.
  await world.person("owner");
  await world.person("viewer");
  const groups = (await call("GET", "/Groups")).body.Resources;
  for (const [i, { hasEmails, moreEmails = [], department, manager, ...said }] of fc
    .sample(user, { numRuns: users, seed })
    .entries()) {
    const userName = `${i % 3 === 0 ? "Ada" : "bo"}${i}@${domain}`;
    const { status, body } = await call("POST", "/Users", {
      ...{ userName, ...said, ...(said.externalId === undefined ? {} : { externalId: `${said.externalId}${i}` }) },
      ...(hasEmails ? { emails: [{ value: userName, type: "work", primary: true }, ...moreEmails] } : {}),
      [enterprise]: { ...(department && { department }), ...(manager && { manager: { value: manager } }) },
    });
    expect(status, JSON.stringify(body)).toBe(201);
    const group = groups[i % 5];
    if (group === undefined) continue;
    const Operations = [{ op: "add", path: "members", value: [{ value: body.id }] }];
    expect((await call("PATCH", `/Groups/${group.id}`, { Operations })).status).toBe(204);
  }
});

afterAll(() => plane.stop());

const textOperator = fc.constantFrom("eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le", "EQ");
const texts = fc.constantFrom(
  ...["userName", "externalId", "displayName", "title", "name.givenName", "NAME.familyName", "nickName", "id"],
  ...["emails", "emails.value", "emails.type", "phoneNumbers", "phoneNumbers.display", "phoneNumbers.type"],
  ...["groups", "groups.display", "roles", "roles.value", "addresses.country", "meta.resourceType", "ims.value"],
  ...[`${enterprise}:department`, `${enterprise}:manager.value`, `${enterprise}:manager`],
);
const presence = fc.constantFrom(
  ...["userName", "externalId", "title", "name", "name.givenName", "emails", "emails.type", "phoneNumbers"],
  ...["phoneNumbers.value", "groups", "active", "meta", "ims", enterprise, `${enterprise}:manager`],
);
const times = fc.constantFrom("2020-01-01T00:00:00Z", "2099-01-01T00:00:00+02:00");
const parts = fc.constantFrom("value", "type", "display");

/** Texts to compare with: such as users have, and parts of them. */
const wanted = fc.oneof(
  word,
  fc.tuple(fc.constantFrom("ada", "BO"), fc.nat(users)).map(([name, i]) => `${name}${i}@${directory.domain}`),
  fc.constantFrom("editor", "viewer", "User", "bo1", "ample", ""),
);
const quoted = wanted.map((text) => JSON.stringify(text));

const itemTerm = fc.oneof(
  fc.tuple(parts, textOperator, quoted).map((each) => each.join(" ")),
  fc.tuple(parts, fc.constant("pr")).map((each) => each.join(" ")),
  fc.tuple(fc.constant("primary"), fc.constantFrom("eq", "ne"), fc.boolean()).map((each) => each.join(" ")),
);

const filter: fc.Memo<string> = fc.memo((depth) =>
  depth <= 1
    ? term
    : fc.oneof(
        term,
        fc.tuple(filter(), fc.constantFrom("and", "or", "AND"), filter()).map((each) => each.join(" ")),
        filter().map((each) => `(${each})`),
        filter().map((each) => `not (${each})`),
      ),
);

const term = fc.oneof(
  fc.tuple(texts, textOperator, quoted).map((each) => each.join(" ")),
  fc.tuple(presence, fc.constant("pr")).map((each) => each.join(" ")),
  fc.tuple(presence, fc.constantFrom("eq", "ne"), fc.constant("null")).map((each) => each.join(" ")),
  fc
    .tuple(fc.constant("active"), fc.constantFrom("eq", "ne"), fc.constantFrom("true", '"False"'))
    .map((e) => e.join(" ")),
  fc
    .tuple(fc.constantFrom("meta.created", "meta.lastModified"), fc.constantFrom("gt", "ge", "lt", "le"), times)
    .map(([name, operator, time]) => `${name} ${operator} "${time}"`),
  fc
    .tuple(fc.constantFrom("emails", "phoneNumbers", "groups"), itemTerm, fc.constantFrom("and", "or"), itemTerm)
    .map(([list, one, join, other]) => `${list}[${one} ${join} ${other}]`),
  quoted.map((value) => `emails[type eq "work"].value eq ${value}`),
);

test("the database finds the users that a filter describes", async () => {
  const { orgId } = directory.world;
  const read = (text: string | undefined) =>
    plane.database.read(orgId, (tx) => listScimUsers(tx, userCondition(text), { limit: 200, offset: 0 }));
  const everybody: JsonObject[] = (await read(undefined)).views.map((view) => userResource(view, "https://x"));
  expect(everybody).toHaveLength(users + 2);
  let found = 0;
  await fc.assert(
    fc.asyncProperty(filter(3), async (text) => {
      const parsed = parseFilter(userShape, text);
      const { total, views } = await read(text);
      const described = everybody.filter((resource) => fulfils(parsed, resource));
      expect(views.map(({ id }) => id)).toEqual(described.map(({ id }) => id));
      expect(total).toBe(views.length);
      if (total > 0 && total < everybody.length) found += 1;
    }),
    { numRuns: n, seed },
  );
  // Most filters tell users apart, so the property says something.
  expect(found).toBeGreaterThan(n / 4);
  reportSample({ n, failures: 0, figures: { telling: found } });
});
