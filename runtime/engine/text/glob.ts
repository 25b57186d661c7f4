// Globs over agent keys and rule ids: "*" matches any run of characters, "?" any single one. Takes time linear in the
// product of the lengths.

/** True when the glob matches the whole text. */
export function matchesGlob(glob: string, text: string): boolean {
  let g = 0;
  let t = 0;
  let star = -1;
  let resume = 0;
  while (t < text.length) {
    if (g < glob.length && glob[g] === "*") {
      star = g++;
      resume = t;
    } else if (g < glob.length && (glob[g] === "?" || glob[g] === text[t])) {
      g++;
      t++;
    } else if (star >= 0) {
      g = star + 1;
      t = ++resume;
    } else return false;
  }
  while (glob[g] === "*") g++;
  return g === glob.length;
}
