// Conditions on the version of a resource (RFC 7644, section 3.14; RFC 9110, section 13.1). Versions are compared
// weakly.

import { otherVersion } from "./fault.ts";

/** Whether the header names this version. */
export function namesVersion(header: string, version: string): boolean {
  const plain = (tag: string) => tag.trim().replace(/^W\//, "");
  return header.trim() === "*" || header.split(",").some((tag) => plain(tag) === plain(version));
}

/** Throws unless If-Match, when it is given, names the version. */
export function assertMatch(header: string | undefined, version: string): void {
  if (header !== undefined && !namesVersion(header, version)) throw otherVersion();
}
