import { expect, test } from "vitest";
import { welcome } from "../../../scripts/supervisor/welcome.ts";

const settings = {
  dataFolder: "/srv/guard",
  defaultPlan: "free" as const,
  host: "127.0.0.1",
  ports: {
    PORT: 8080,
    RUNTIME_PORT: 8081,
    MANAGEMENT_PORT: 9080,
    RUNTIME_MANAGEMENT_PORT: 9081,
    WORKER_MANAGEMENT_PORT: 9082,
  },
};
const bootstrap = {
  org_id: "0b9f4a52-7c1e-4d5a-9a53-3a1f6c2e8d10",
  admin_token: "gr_adm_example",
  runtime_token: "gr_run_example",
  runtime_url: "http://127.0.0.1:8081",
};

test("the commands to paste wait for the runtime's report before they ask for the trace of the attack", () => {
  const commands = welcome(settings, bootstrap, { isTerminal: true });
  const steps = commands.match(/\/v1\/evaluate\/input|sleep 2|\/traces\?/g);
  expect(steps).toEqual(["/v1/evaluate/input", "sleep 2", "/traces?"]);
});
