// The cookie that ties a sign-in to the browser that began it (RFC 6265bis). Lax, since the provider sends the browser
// back with a navigation from another site; over TLS with the prefix that keeps other hosts of the domain from setting
// it.

const name = "policy_guard_sso";

/** The attributes of the cookie. */
export interface CookieOptions {
  /** Whether browsers reach this service by TLS. */
  readonly isSecure: boolean;
}

/** The Set-Cookie header that gives a browser the secret of its sign-in. */
export function setCookie(
  value: string,
  { isSecure, maxAgeSeconds }: CookieOptions & { maxAgeSeconds: number },
): string {
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
  return `${fullName(isSecure)}=${value}; ${attributes}`;
}

/** The Set-Cookie header that removes it. */
export function clearCookie(options: CookieOptions): string {
  return setCookie("", { ...options, maxAgeSeconds: 0 });
}

/** The secret in a Cookie header. */
export function readCookie(header: string | undefined, { isSecure }: CookieOptions): string | undefined {
  const prefix = `${fullName(isSecure)}=`;
  const pairs = header?.split(";").map((pair) => pair.trim()) ?? [];
  return pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length);
}

function fullName(isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}
