import { getOption, hasOption } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { knownServices, staleAfter } from "../../console/data/invalidation.ts";
import { audit } from "../../gen/policyguard/options/v1/options_pb.ts";
import { controlServices } from "../../src/control-services.ts";

const services = new Map(controlServices.map((service) => [service.name, service]));

test("whatever is audited makes the lists of its own service stale", () => {
  const changing = controlServices.flatMap(({ methods }) => methods.filter((method) => hasOption(method, audit)));
  expect(changing.length).toBeGreaterThan(80);
  const forgotten = changing.filter((method) => !knownServices.includes(method.parent.name));
  expect(forgotten.map((method) => `${getOption(method, audit)} of ${method.parent.name}`)).toEqual([]);
  expect(changing.filter((method) => !staleAfter(method).includes(method.parent.name))).toEqual([]);
});

test("every service in the table, and every one that it names as stale, exists", () => {
  const named = knownServices.flatMap((name) => {
    const [method] = services.get(name)?.methods ?? [];
    return method === undefined ? [name] : [name, ...staleAfter(method)];
  });
  expect(named.filter((name) => !services.has(name))).toEqual([]);
});
