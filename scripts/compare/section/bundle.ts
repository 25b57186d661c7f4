// The bundle in force, part by part: as bytes where nothing in it depends on ids or times, else as JSON with both
// replaced.

import { createHash } from "node:crypto";
import { demand } from "../call.ts";
import { isObject, type Json, listAt, parsed, textAt } from "../json.ts";
import type { Recording } from "../recording.ts";

/** Records what a runtime's token is given. Returns the digests of the parts. */
export async function recordBundle(controlPlaneUrl: string, token: string, recording: Recording): Promise<void> {
  const bundle = await demand(`${controlPlaneUrl}/v1/bundles/latest`, { token });
  const parts = listAt(bundle, "parts").map((part) => ({
    path: textAt(part, "path"),
    bytes: Buffer.from(textAt(part, "data"), "base64"),
  }));
  for (const name of ["manifest", "activation"]) {
    const payload = isObject(bundle) ? textAt(bundle[name], "payload") : "";
    recording.add("bundle", name, withoutDigests(parsed(Buffer.from(payload, "base64url").toString("utf8"))));
  }
  const named = parts.map(({ path, bytes }) => {
    const value = path.endsWith(".json")
      ? parsed(bytes.toString("utf8"))
      : `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
    return { path: nameOf(path, value), value };
  });
  for (const { path, value } of named.toSorted((a, b) => (a.path < b.path ? -1 : 1)))
    recording.add("bundle", path, value);
}

/** Parts of policies lie under their ids, which chance makes; their names do not change. */
function nameOf(path: string, value: Json): string {
  const name = isObject(value)
    ? textAt(value, "document", "metadata", "name") || textAt(value, "name") || textAt(value, "metadata", "name")
    : "";
  return name === "" ? path : `${path.slice(0, path.indexOf("/"))}/${name}`;
}

/**
 * The manifest lists its parts in the order of paths, which hold ids: how many there are of which kind is what two
 * versions share.
 */
function withoutDigests(payload: Json): Json {
  if (!isObject(payload) || !Array.isArray(payload.parts)) return payload;
  const folders = payload.parts.map((part: Json) => textAt(part, "path").replace(/[^/]+$/, ""));
  const counts = Object.fromEntries(
    folders.toSorted().map((folder) => [folder, folders.filter((other) => other === folder).length]),
  );
  return { ...payload, parts: counts };
}
