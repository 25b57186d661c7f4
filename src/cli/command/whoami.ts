import { defineCommand } from "../command.ts";
import { identify } from "../credential.ts";
import { exitCodes } from "../failure.ts";
import { shown } from "../output.ts";
import { openServer, serverOptions } from "../server.ts";

/** `policy-guard whoami`: shows the credential in use and its permissions. */
export const whoami = defineCommand({
  name: "whoami",
  summary: "Show the credential in use and its permissions.",
  positionals: { label: "", min: 0, max: 0 },
  options: serverOptions,
  async run({ values, output, world }) {
    const server = openServer(world);
    const { kind, prefix, orgId, role, methods } = await identify(server, values.org);
    output.line(`${kind} credential ${prefix}… at ${server.connection.url}`);
    if (orgId !== undefined) output.line(`organization ${orgId}${role === undefined ? "" : `, role ${shown(role)}`}`);
    output.line("may call:");
    for (const [service, names] of Object.entries(Object.groupBy(methods, (method) => method.split("/")[0] ?? ""))) {
      output.line(`  ${shown(service)}: ${shown((names ?? []).map((name) => name.split("/")[1]).join(", "))}`);
    }
    output.json({
      url: server.connection.url,
      credential: kind,
      prefix,
      org_id: orgId ?? null,
      role: role ?? null,
      methods: [...methods],
    });
    return exitCodes.fine;
  },
});
