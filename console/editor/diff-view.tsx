// Two texts with what differs between them: beside each other where there is room, else in one column.

import { yaml } from "@codemirror/lang-yaml";
import { syntaxHighlighting } from "@codemirror/language";
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useRef } from "react";
import style from "./editor.module.css";
import { editorTheme, highlighting } from "./theme.ts";

/** Viewports narrower than this have one column. */
const minTwoColumns = 800;

/** The difference between two texts. */
export function DiffView({
  before,
  after,
  label,
}: {
  readonly before: string;
  readonly after: string;
  readonly label: string;
}) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const shared = [
      yaml(),
      syntaxHighlighting(highlighting),
      editorTheme,
      EditorView.lineWrapping,
      EditorState.readOnly.of(true),
      EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
    ];
    const collapseUnchanged = { margin: 3, minSize: 6 };
    if (innerWidth < minTwoColumns) {
      const merge = unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged });
      const state = EditorState.create({ doc: after, extensions: [shared, merge] });
      const view = new EditorView({ parent: root, root, state });
      return () => view.destroy();
    }
    const sides = { a: { doc: before, extensions: shared }, b: { doc: after, extensions: shared } };
    const view = new MergeView({ ...sides, parent: root, root, collapseUnchanged });
    return () => view.destroy();
  }, [before, after, label]);
  return <div ref={host} className={style.diff} />;
}
