// The command that starts a runtime of the organization, and the address at which that runtime then answers.

/** The ports of a runtime that was started with its defaults. */
const usual = { port: 8_081, managementPort: 9_081 };
/** The ports that an address leaves out. */
const usualPorts: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };
/** How far from those of the first runtime of a machine the ports of another one are. */
const apart = 10;

/** A runtime that is yet to be started. */
export interface RuntimeCommand {
  readonly start: string;
  readonly url: string;
}

/** The command for an organization, beside the runtime that the installation has at `runtimeUrl`. */
export function runtimeCommand({
  origin,
  orgId,
  runtimeUrl,
  isFirst = false,
}: {
  readonly origin: string;
  readonly orgId: string;
  readonly runtimeUrl: string | undefined;
  readonly isFirst: boolean | undefined;
}): RuntimeCommand {
  const whose = `POLICY_GUARD_URL=${origin} POLICY_GUARD_TOKEN=gr_rt_…`;
  const taken = runtimeUrl === undefined || isFirst ? undefined : localPort(runtimeUrl);
  if (taken === undefined)
    return { start: `${whose} npm run runtime`, url: runtimeUrl ?? `http://127.0.0.1:${usual.port}` };
  const port = taken + apart;
  const ports = `RUNTIME_PORT=${port} RUNTIME_MANAGEMENT_PORT=${usual.managementPort + apart}`;
  const folder = `POLICY_GUARD_DATA=var/runtime-${orgId.slice(0, 8)}`;
  return { start: `${whose} ${ports} ${folder} npm run runtime`, url: `http://127.0.0.1:${port}` };
}

/** The port of an address of this machine. */
function localPort(address: string): number | undefined {
  const { hostname, port, protocol } = new URL(address);
  if (!/^(?:127\.0\.0\.1|localhost|\[::1\])$/.test(hostname)) return undefined;
  return port === "" ? usualPorts[protocol] : Number(port);
}
