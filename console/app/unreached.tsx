import { EntryCard } from "../page/entry/card.tsx";
import { Failed } from "../part/state.tsx";
import { en } from "../text/en.ts";

/** In place of a whole page: what it cannot begin without, such as who is signed in, was not answered. */
export function Unreached({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  return (
    <EntryCard title={en.failure.notLoaded}>
      <Failed error={error} onRetry={onRetry} />
    </EntryCard>
  );
}
