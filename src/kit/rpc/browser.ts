// Calls of the console's page. Its session is a cookie, which a browser adds to any call to this host, whatever page
// made it. So a cookie counts only for calls that no other site can make: they carry a header of their own, which a
// browser lets a foreign page send only after a preflight, and this server answers none. What the browser itself says
// about where the call comes from must agree.

/** The header that the page sends: the id of the session that it was loaded with, or `1` when it knows none yet. */
export const consoleHeader = "X-Policy-Guard-Console";

/** Its value before a page knows its session: while somebody signs in, and for reading about the own account. */
export const unknownSession = "1";

/** What a process knows about its console. */
export interface ConsoleFacts {
  /** Scheme, host and port at which browsers reach this service. */
  readonly publicOrigin: string;
  /** The name of the session's cookie. */
  readonly cookieName: string;
}

/** The facts of a console at this address. */
export function consoleFacts(publicUrl: string): ConsoleFacts {
  const { protocol, origin, port } = new URL(publicUrl);
  return {
    publicOrigin: origin,
    cookieName: cookieName("policy_guard_session", { isSecure: protocol === "https:", port }),
  };
}

/**
 * The full name of a cookie. Over TLS with the prefix that keeps other hosts of the domain from setting it (RFC
 * 6265bis, section 4.1.3.2). Without TLS, which is for the loopback, the port is in the name: browsers share cookies
 * between the ports of a host.
 */
export function cookieName(
  name: string,
  { isSecure, port }: { readonly isSecure: boolean; readonly port: string },
): string {
  if (isSecure) return `__Host-${name}`;
  return port === "" ? name : `${name}_${port}`;
}

/** The value of a cookie in a Cookie header (RFC 6265, section 4.2.1). */
export function cookieValue(header: string | null | undefined, name: string): string | undefined {
  const prefix = `${name}=`;
  for (const pair of header?.split(";") ?? []) {
    const text = pair.trim();
    if (text.startsWith(prefix)) return text.slice(prefix.length);
  }
  return undefined;
}

/** Whether a page of this service made the call. `host` is the host that the call names, with its port. */
export function isOwnPage(header: Headers, host: string | undefined, facts: ConsoleFacts): boolean {
  return (header.get(consoleHeader) ?? "") !== "" && !isForeignPage(header, host, facts);
}

/** Whether a browser says that a page of another origin made the call. */
export function isForeignPage(header: Headers, host: string | undefined, { publicOrigin }: ConsoleFacts): boolean {
  const site = header.get("Sec-Fetch-Site");
  if (site !== null && site !== "same-origin") return true;
  const origin = header.get("Origin");
  return origin !== null && origin !== publicOrigin && hostOf(origin) !== host;
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
