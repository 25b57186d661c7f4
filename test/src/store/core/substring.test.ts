import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Projects } from "../../../../src/domain/project/project.ts";
import { Organizations } from "../../../../src/domain/tenancy/organization.ts";
import { newId } from "../../../../src/kit/process/id.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import type { Transaction } from "../../../../src/store/core/transaction.ts";
import { listMembers } from "../../../../src/store/identity/member.ts";
import { listTokens } from "../../../../src/store/identity/token.ts";
import { listPolicies, PolicyRow } from "../../../../src/store/policy/policy.ts";
import { listAgents, touchAgents } from "../../../../src/store/project/agent.ts";
import { listProjects } from "../../../../src/store/project/project.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { adminCaller, createWorld, type World } from "../../../harness/vector/world.ts";

const page = { limit: 200, offset: 0 };
/** The signs of patterns, and letters in both cases, within ASCII and beyond it. */
const sign = fc.constantFrom("%", "_", "\\", "'", "a", "A", "ä", "Ä", "ж", "Ж", " ");

describe("a list that is searched", () => {
  let urls: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 4 });
  });

  afterAll(async () => {
    await database.close();
    await urls.drop();
  });

  it("finds exactly what contains the text, whatever signs and cases it is of, and counts it", async () => {
    const { id: orgId } = await new Organizations(database).create({ name: "Signs" });
    const names = fc.sample(fc.string({ unit: sign, minLength: 1, maxLength: 6 }), { numRuns: 60, seed: 7 });
    const unique = [...new Set(names.filter((name) => name.trim() !== ""))];
    for (const name of unique) await new Projects(database).create(adminCaller(orgId), { name });
    const find = (query: string) => database.read(orgId, (tx) => listProjects(tx, { ...page, query }));
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: sign, minLength: 1, maxLength: 3 }), async (query) => {
        const [found, total] = await find(query);
        const wanted = unique.filter((name) => name.toLowerCase().includes(query.toLowerCase()));
        expect(new Set(found.map(({ name }) => name))).toEqual(new Set(wanted));
        expect(total).toBe(wanted.length);
      }),
      { numRuns: 150 },
    );
  });

  it("has nothing of another organization, by whatever text", async () => {
    const [own, other] = [await createWorld(database), await createWorld(database)];
    await Promise.all([own, other].map(fill));
    const lists: Record<string, (tx: Transaction, query: string) => Promise<[readonly unknown[], number]>> = {
      policies: (tx, query) => listPolicies(tx, page, { query }),
      projects: (tx, query) => listProjects(tx, { ...page, query }),
      agents: (tx, query) => listAgents(tx, own.projectId, { ...page, query }),
      agentsOfOthers: (tx, query) => listAgents(tx, other.projectId, { ...page, query }),
      tokens: (tx, query) => listTokens(tx, { ...page, query }),
      members: (tx, query) => listMembers(tx, { ...page, query }),
    };
    const counts = await database.read(own.orgId, async (tx) => {
      const found: [string, number, number][] = [];
      for (const [name, list] of Object.entries(lists)) {
        const [rows, total] = await list(tx, queries[name] ?? "bot");
        found.push([name, rows.length, total]);
      }
      return found;
    });
    expect(counts).toEqual([
      ["policies", 1, 1],
      ["projects", 1, 1],
      ["agents", 1, 1],
      ["agentsOfOthers", 0, 0],
      ["tokens", 1, 1],
      ["members", 1, 1],
    ]);
  });

  const queries: Readonly<Record<string, string>> = { projects: "assist", tokens: "admin", members: "lovelace" };
  const fill = async ({ orgId, projectId, person }: World) => {
    await person("viewer");
    await database.systemTransaction(orgId, async (tx) => {
      touchAgents(tx, projectId, new Map([["the-bot", tx.now]]));
      const scope = { appId: "*", agentId: "*", env: "*" };
      const times = { createdAt: tx.now, updatedAt: tx.now };
      tx.em.create(PolicyRow, {
        orgId,
        id: newId(),
        name: "the-bot",
        description: null,
        version: 1,
        ...scope,
        ...times,
      });
    });
  };
});
