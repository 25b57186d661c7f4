// Notes on traces that are typed and not stored. The page keeps them by trace, so that walking on and back loses none.

import { createContext, type ReactNode, useContext, useState } from "react";
import { useUnsavedWhile } from "../../part/form/unsaved.ts";

type Notes = ReadonlyMap<string, string>;

const NotesOfPage = createContext<{
  readonly notes: Notes;
  readonly change: (change: (notes: Notes) => Notes) => void;
}>({ notes: new Map(), change: () => {} });

/** What a page shows of traces that are marked. */
export function WithNotes({ children }: { readonly children: ReactNode }) {
  const [notes, change] = useState<Notes>(new Map());
  useUnsavedWhile([...notes.values()].some((note) => note !== ""));
  return <NotesOfPage value={{ notes, change }}>{children}</NotesOfPage>;
}

/** The note on a trace. */
export function useNote(traceId: string): {
  readonly note: string;
  readonly write: (note: string) => void;
  /** Drops what was stored, unless somebody has gone on typing. */
  readonly forget: (stored: string) => void;
} {
  const { notes, change } = useContext(NotesOfPage);
  const write = (note: string) => change((former) => new Map(former).set(traceId, note));
  const forget = (stored: string) =>
    change((former) => (former.get(traceId) === stored ? new Map(former).set(traceId, "") : former));
  return { note: notes.get(traceId) ?? "", write, forget };
}
