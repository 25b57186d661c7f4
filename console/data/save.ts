import { safeName } from "./file-name.ts";

/** Saves bytes as a file of the person's machine. */
export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  Object.assign(document.createElement("a"), { href: url, download: safeName(name) }).click();
  URL.revokeObjectURL(url);
}
