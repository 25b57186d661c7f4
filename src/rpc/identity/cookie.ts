// The cookies of this service (RFC 6265bis). Over TLS their names have the prefix that keeps other hosts of the domain
// from setting them; pages read none of them.

import { cookieName, cookieValue } from "../../kit/rpc/browser.ts";

/** One cookie: its name, and when browsers send it. */
class Cookie {
  readonly name: string;
  readonly #attributes: string;

  constructor(
    name: string,
    { publicUrl, sameSite }: { readonly publicUrl: string; readonly sameSite: "Lax" | "Strict" },
  ) {
    const { protocol, port } = new URL(publicUrl);
    const isSecure = protocol === "https:";
    this.name = cookieName(name, { isSecure, port });
    this.#attributes = `HttpOnly; SameSite=${sameSite}${isSecure ? "; Secure" : ""}`;
  }

  /** The Set-Cookie header that gives it to a browser. */
  set(value: string, maxAgeSeconds: number): string {
    return `${this.name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; ${this.#attributes}`;
  }

  /** The Set-Cookie header that deletes it. */
  clear(): string {
    return this.set("", 0);
  }

  /** Its value in a Cookie header. */
  read(header: string | null | undefined): string | undefined {
    return cookieValue(header, this.name);
  }
}

/** The cookies of an installation. */
export interface Cookies {
  /** A session of the console. Strict, since all calls come from its own page. */
  readonly session: Cookie;
  /**
   * Ties a sign-in at a provider to the browser that began it. Lax, since the provider sends the browser back with a
   * navigation from another site.
   */
  readonly sso: Cookie;
}

/** The cookies of the installation at this address. */
export function createCookies(publicUrl: string): Cookies {
  return {
    session: new Cookie("policy_guard_session", { publicUrl, sameSite: "Strict" }),
    sso: new Cookie("policy_guard_sso", { publicUrl, sameSite: "Lax" }),
  };
}
