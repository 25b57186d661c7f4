/** A name without anything that a file system or a reader could take for more than a name. */
export function safeName(name: string): string {
  const plain = name.replace(/[^\w.() -]+/g, "-").replace(/^[.\s-]+/, "");
  return plain === "" ? "download" : plain;
}
