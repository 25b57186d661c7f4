// What the console offers, against what the API allows: every method that changes something is behind a question for its
// permission, and every one that a member may call is offered somewhere.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { hasOption } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { navigationPages } from "../../console/app/pages.ts";
import { roleName } from "../../console/data/role.ts";
import { audit } from "../../gen/policyguard/options/v1/options_pb.ts";
import { controlServices } from "../../src/control-services.ts";
import { methodFacts } from "../../src/kit/rpc/options.ts";

const folder = join(dirname(fileURLToPath(import.meta.url)), "../../console");
const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => readFileSync(join(folder, name), "utf8"));
const source = sources.join("\n");
const changing = controlServices.flatMap(({ methods }) => methods.filter((method) => hasOption(method, audit)));
const nameOf = (method: (typeof changing)[number]) => `${method.parent.name}/${method.name}`;
const isCalled = ({ localName }: (typeof changing)[number]) => new RegExp(`\\b${localName}\\b`).test(source);

/** What is behind no question: a person's own account, and ways in. */
const unasked = /^AccountService\/|^SsoService\/FinishSso$/;

/** Methods whose permission another one stands for, because the page has one way to them. */
const standsFor: Readonly<Record<string, string>> = {
  "TokenService/IssueCiToken": "TokenService/IssueRuntimeToken",
  "TokenService/IssueAdminToken": "TokenService/IssueRuntimeToken",
  "AlertService/PreviewAlertRule": "AlertService/CreateAlertRule",
  // Their pages are offered to those alone who may read them, which are the same who may change them.
  "SsoService/ConfigureSso": "SsoService/GetSso",
  "ScimService/SetScimGroupMapping": "ScimService/GetScimToken",
  // Whose it is decides, and whether they may mark at all.
  "AnnotationService/DeleteAnnotation": "AnnotationService/CreateAnnotation",
};

/** What the console leaves to others, and to whom. */
const elsewhere: Readonly<Record<string, string>> = {
  "ScimService/CreateScimUser": "directories",
  "ScimService/ReplaceScimUser": "directories",
  "ScimService/PatchScimUser": "directories",
  "ScimService/DeleteScimUser": "directories",
  "ScimService/ReplaceScimGroup": "directories",
  "ScimService/PatchScimGroup": "directories",
  "BillingService/ConfirmCheckout": "the page of payment",
  "BillingService/ActInPortal": "the page of payment",
  "ReplayService/RecordReplay": "the command, which replays locally",
  "BenchmarkService/UploadPredictions": "the command, which reads a file of them",
  "OverrideService/CreateOverride": "the command and the API",
  "ErasureService/CreateErasure": "the API: whoever answers a request of a person calls it",
  "AnnotationService/UpdateAnnotation": "programs that annotate; the page marks anew",
  "AnnotationService/UpdateAnnotationSettings": "the API",
  "DatasetService/UpdateDataset": "the API",
  "DatasetService/CancelImport": "the command, which imports what pages do not hold",
};

function isAskedFor(name: string): boolean {
  const local = name.slice(name.indexOf("/") + 1).replace(/^./, (first) => first.toLowerCase());
  return new RegExp(`(?:can|allows)\\([^)]*\\b${local}\\b|"${name}"`).test(source);
}

test("what changes something is offered only after its permission was asked for", () => {
  const called = changing.filter((method) => isCalled(method) && !unasked.test(nameOf(method)));
  expect(called.length).toBeGreaterThan(80);
  expect(called.map(nameOf).filter((name) => !isAskedFor(standsFor[name] ?? name))).toEqual([]);
});

test("what members may change is offered, or left to somebody else who is named here", () => {
  const missing = changing.filter((method) => !isCalled(method)).map(nameOf);
  expect(missing.toSorted()).toEqual(Object.keys(elsewhere).toSorted());
});

test("a page that not everybody may open names the least role that may", () => {
  const closed = navigationPages.flatMap((page) => (page.needs === undefined ? [] : [page]));
  expect(closed.length).toBeGreaterThan(5);
  const methods = new Map(controlServices.flatMap((each) => each.methods).map((method) => [nameOf(method), method]));
  const leastOf = (name: string) => {
    const method = methods.get(name);
    return method && roleName(methodFacts(method).access.leastRole);
  };
  expect(closed.map(({ to, role }) => [to, role])).toEqual(closed.map(({ to, needs }) => [to, leastOf(needs)]));
});
