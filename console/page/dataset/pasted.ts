// Records that somebody pastes in place of a file.

/** The file that was pasted, or what was pasted as one; undefined when it was neither. */
export function pastedFile(files: ArrayLike<File>, text: string): File | undefined {
  const [file] = Array.from(files);
  if (file !== undefined) return file;
  return text.trim() === "" ? undefined : new File([text], `pasted.${formatOf(text)}`);
}

/** A record a line, one list of them, or columns. */
function formatOf(text: string): "jsonl" | "json" | "csv" {
  const first = text.trimStart().charAt(0);
  if (first === "{") return "jsonl";
  return first === "[" ? "json" : "csv";
}
