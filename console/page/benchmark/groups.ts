/** Results by the rules that matched, which are their cause: the most frequent first. */
export function byRules<Result extends { readonly rules: readonly string[] }>(
  results: readonly Result[],
): readonly { readonly rules: string; readonly results: readonly Result[] }[] {
  const groups = Map.groupBy(results, ({ rules }) => rules.join(", "));
  return [...groups]
    .map(([rules, ofGroup]) => ({ rules, results: ofGroup }))
    .toSorted((a, b) => b.results.length - a.results.length);
}
