import { getOption, hasOption } from "@bufbuild/protobuf";
import { QueryObserver } from "@tanstack/react-query";
import { expect, onTestFinished, test } from "vitest";
import { queryClient } from "../../console/data/client.ts";
import { invalidate, knownServices, staleAfter } from "../../console/data/invalidation.ts";
import { TeamService } from "../../gen/policyguard/control/v1/team_service_pb.ts";
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

test("an answer that was asked for before a change, and is still on its way, does not stand for what is after it", async () => {
  const queryKey = ["connect-query", { serviceName: "policyguard.control.v1.TeamService" }];
  const first = Promise.withResolvers<string>();
  const answers = [first.promise, Promise.resolve("with the new member")];
  const observer = new QueryObserver(queryClient, { queryKey, queryFn: () => answers.shift() ?? "asked too often" });
  onTestFinished(observer.subscribe(() => {}));
  const invalidated = invalidate(TeamService.method.inviteMember);
  first.resolve("without them");
  await invalidated;
  expect(observer.getCurrentResult()).toMatchObject({ data: "with the new member", isFetching: false });
});

test("every service in the table, and every one that it names as stale, exists", () => {
  const named = knownServices.flatMap((name) => {
    const [method] = services.get(name)?.methods ?? [];
    return method === undefined ? [name] : [name, ...staleAfter(method)];
  });
  expect(named.filter((name) => !services.has(name))).toEqual([]);
});
