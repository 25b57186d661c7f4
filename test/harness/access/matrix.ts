// The access matrix: every operation, called by every kind of caller, on everything that it can name. What has to come
// back follows from the method's options alone. A refusal must leave no trace, in either organization, and must not
// tell what exists from what does not.

import { type DescMethod, fromJson, type JsonObject } from "@bufbuild/protobuf";
import { type Call, StepSchema, type Vector } from "../../../gen/policyguard/testing/v1/vector_pb.ts";
import { methodFacts } from "../../../src/kit/rpc/options.ts";
import { callName, type Dialect, type TestAnswer } from "../vector/dialect.ts";
import { blockBilling, perform, type Scene, setScene } from "../vector/scene.ts";
import type { Stage } from "../vector/scene-step.ts";
import { type MemberPersona, tokenOf } from "../vector/world.ts";
import { type Expected, expectedOf, type Promised } from "./expectation.ts";
import { type Principal, principals } from "./principal.ts";
import { type Checksums, checksums } from "./rows.ts";
import { type Target, targetsOf } from "./target.ts";

/** One call of the matrix. */
interface Cell {
  readonly principal: Principal;
  readonly target: Target;
  readonly dialect: Dialect;
  readonly expected: Expected;
}

/** What the matrix found. */
export interface Findings {
  /** How many calls were made. */
  readonly cells: number;
  /** What was not as promised. */
  readonly wrong: readonly string[];
}

/** How much of the matrix is run, and against which promise. */
export interface MatrixOptions {
  readonly promised: Promised;
  readonly dialects: (
    method: DescMethod,
    principal: Principal,
    target: Target,
    expected: Expected,
  ) => readonly Dialect[];
}

/** Calls a method in every way. `vectors` are those of the method's success, from which the requests are taken. */
export async function checkMethod(
  stage: Stage,
  method: DescMethod,
  vectors: readonly Vector[],
  options: MatrixOptions,
): Promise<Findings> {
  const cells = cellsOf(method, options);
  const { http, access, audit } = methodFacts(method);
  // A request that leaves the organization to the credential cannot be turned to another one.
  const naming = vectors.filter(
    ({ call }) => !access.orgFromCredential || Object.hasOwn(call?.request ?? {}, access.orgField),
  );
  // Public ones may be steps of a sign-in: browsers navigate through those, and each changes something. One with an
  // audit action writes its entry.
  const isRead = http?.pattern.case === "get" && !access.public && audit === "";
  const wrong: string[] = [];
  const answers = new Answers();
  for (const vector of new Set(cells.map(({ principal }) => baseOf(naming, principal)))) {
    const own = cells.filter(({ principal }) => baseOf(naming, principal) === vector);
    const unpaid = own.filter(({ target }) => target.isUnpaid);
    const paid = own.filter(({ target }) => !target.isUnpaid);
    const isHarmless = ({ expected }: Cell) => isRead || expected.status >= 400;
    wrong.push(...(await checkHarmless(stage, vector, paid.filter(isHarmless), answers)));
    wrong.push(...(await checkUnpaid(stage, vector, unpaid.filter(isHarmless))));
    for (const cell of own.filter((each) => !isHarmless(each))) {
      const scene = await setScene(stage, vector);
      if (cell.target.isUnpaid) await blockBilling(stage.plane.database, scene.world.orgId);
      wrong.push(...(await checkCell(stage, vector, cell, { own: scene, other: scene })));
    }
  }
  return { cells: cells.length, wrong: [...wrong, ...answers.telling()].map((text) => `${callName(method)}: ${text}`) };
}

function cellsOf(method: DescMethod, { promised, dialects }: MatrixOptions): Cell[] {
  return targetsOf(method, promised.access).flatMap((target) =>
    principals.flatMap((principal) => {
      const expected = expectedOf(promised, principal, target);
      // Its own organization, from where the other's admin stands.
      const isAtHome = principal.home === "other" && target.organization === "foreign";
      // Of people, only the one whose account the vectors are about.
      const isElsewhere = promised.access.account && principal.role !== undefined && principal.persona !== "editor";
      if (expected === undefined || isAtHome || isElsewhere) return [];
      return dialects(method, principal, target, expected).map((dialect) => ({ principal, target, dialect, expected }));
    }),
  );
}

/** The vector whose request a caller sends: one of its own kind, if there is one. */
function baseOf(vectors: readonly Vector[], { persona }: Principal): Vector {
  const plain = vectors.filter(
    ({ call, given }) =>
      call?.rawBody === undefined &&
      Object.keys(call?.headers ?? {}).length === 0 &&
      !given.some((step) => step.call?.method === "$bill"),
  );
  const by = (as: string) => plain.find(({ call }) => (call?.as || "admin") === as);
  const vector = by(persona) ?? by("admin") ?? plain[0];
  if (vector === undefined) throw new Error("the matrix needs a vector of the method's success");
  return vector;
}

interface Scenes {
  readonly own: Scene;
  readonly other: Scene;
}

const anotherProject = fromJson(StepSchema, {
  bind: "another",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a vector's own placeholder
  call: { method: "ProjectService/CreateProject", request: { org_id: "${org_id}", name: "Another project" } },
});

// The same in two organizations, so that every id has a counterpart.
async function scenesOf(stage: Stage, { given }: Vector): Promise<Scenes> {
  const other = await setScene(stage, { given: [...given] });
  const own = await setScene(stage, { given: [...given, anotherProject] });
  const { another } = own.variables as { another: { id: string } };
  const tokens = { ...own.world.tokens, foreign: other.world.tokens.admin };
  const person = (persona: MemberPersona) =>
    persona === "foreign_owner" ? other.world.person("owner") : own.world.person(persona);
  return {
    other,
    own: { world: { ...own.world, tokens, person }, variables: { ...own.variables, another_project: another.id } },
  };
}

// Refusals, and calls of methods that only read.
async function checkHarmless(
  stage: Stage,
  vector: Vector,
  cells: readonly Cell[],
  answers: Answers,
): Promise<string[]> {
  if (cells.length === 0) return [];
  const witness = await stage.plane.witness();
  const scenes = await scenesOf(stage, vector);
  // Members come into being when first asked for, which is not what the calls did.
  for (const { principal } of cells) await tokenOf(scenes.own.world, principal.persona);
  const sums = () => Promise.all([scenes.own, scenes.other].map(({ world }) => checksums(witness, world.orgId)));
  const before = await sums();
  const wrong: string[] = [];
  for (const cell of cells) wrong.push(...(await checkCell(stage, vector, cell, scenes, answers)));
  const tables = changed(before, await sums());
  return tables === "" ? wrong : [...wrong, `calls that may not changed rows of ${tables}`];
}

function changed(before: readonly Checksums[], after: readonly Checksums[]): string {
  const tables = before.flatMap((sums, index) =>
    Object.keys(sums).filter((table) => sums[table] !== after[index]?.[table]),
  );
  return tables.join(", ");
}

async function checkUnpaid(stage: Stage, vector: Vector, cells: readonly Cell[]): Promise<string[]> {
  const wrong: string[] = [];
  if (cells.length === 0) return wrong;
  const scene = await setScene(stage, vector);
  await blockBilling(stage.plane.database, scene.world.orgId);
  for (const cell of cells) wrong.push(...(await checkCell(stage, vector, cell, { own: scene, other: scene })));
  return wrong;
}

async function checkCell(
  stage: Stage,
  vector: Vector,
  cell: Cell,
  { own, other }: Scenes,
  answers?: Answers,
): Promise<string[]> {
  const { principal, target, dialect, expected } = cell;
  const template = (vector.call?.request ?? {}) as JsonObject;
  const request = target.request(template, own, other);
  const call: Call = { ...(vector.call as Call), as: principal.persona, request };
  const answer = await perform(stage, dialect, call, own);
  answers?.add(cell, answer);
  if (answer.status === expected.status && answer.error === expected.error) return [];
  const got = `${answer.status} ${answer.error}`;
  return [
    `${principal.name} on ${target.name} by ${dialect}: expected ${expected.status} ${expected.error}, got ${got}`,
  ];
}

/** Refusals that have to be alike to the last byte, whatever exists. */
class Answers {
  readonly #seen = new Map<string, Set<string>>();

  add({ principal, target, dialect, expected }: Cell, answer: TestAnswer): void {
    const field = target.astray?.how === "malformed" ? undefined : target.astray?.field;
    const named = target.organization !== "own" ? "organizations" : field;
    if (named === undefined || expected.status < 400) return;
    const key = `${principal.name} by ${dialect}: ${expected.status} ${expected.error} for ${named}`;
    const seen = this.#seen.get(key) ?? new Set();
    this.#seen.set(key, seen.add(imageOf(answer)));
  }

  /** Where one refusal differs from another. */
  telling(): string[] {
    return [...this.#seen]
      .filter(([, images]) => images.size > 1)
      .map(([key, images]) => `${key} tell what exists:\n  ${[...images].join("\n  ")}`);
  }
}

/** Headers of the connection and of the moment, not of the answer. */
const volatileHeaders = new Set(["date", "x-request-id", "connection", "keep-alive"]);

/** All of an answer but what no two answers share. */
function imageOf({ status, text, body, headers }: TestAnswer): string {
  const kept = [...headers].filter(([name]) => !volatileHeaders.has(name));
  return JSON.stringify([status, text ?? body, kept]);
}
