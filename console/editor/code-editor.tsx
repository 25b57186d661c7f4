// A YAML editor. It lives in a shadow root, where CodeMirror uses adopted style sheets: the page's policy allows no
// <style> elements.

import {
  autocompletion,
  type CompletionContext,
  closeBrackets,
  completionKeymap,
  startCompletion,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, isolateHistory } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { type Action, type Diagnostic, lintGutter, lintKeymap, nextDiagnostic, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
import { useCallback, useEffect, useRef, useState } from "react";
import { type Command, commands, editorKey } from "../part/keys/shortcuts.ts";
import { useLatest } from "../part/latest.ts";
import { en } from "../text/en.ts";
import { complete, describe, type Language } from "./completion.ts";
import style from "./editor.module.css";
import { type EditorProblem, fixOf, offsetOf, rangeOf } from "./problem.ts";
import { editorTheme, highlighting } from "./theme.ts";

/** What a page may do with its editor. */
export interface EditorHandle {
  /** Puts the cursor at a line and column, counted from 1. */
  goTo(line: number, column: number): void;
  /** Puts what was suggested in place of what is wrong. */
  fix(problem: EditorProblem): void;
  /** Replaces the whole text. */
  setText(text: string): void;
}

/** What the page does by keys that are pressed in its editor. */
export type EditorKeys = Readonly<Partial<Record<Command, () => void>>>;

/** An editor for a text that the page holds. */
export function CodeEditor({
  label,
  initialText,
  problems,
  keys,
  language,
  isReadOnly = false,
  onChange,
  handle,
}: {
  readonly label: string;
  readonly initialText: string;
  readonly problems: readonly EditorProblem[];
  readonly keys?: EditorKeys;
  /** What the text is written in: keys, values and conditions are completed and described by it. */
  readonly language?: Language | "loading";
  readonly isReadOnly?: boolean;
  readonly onChange: (text: string) => void;
  readonly handle?: (handle: EditorHandle | undefined) => void;
}) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef({ initialText, onChange, handle, keys });
  latest.current = { ...latest.current, onChange, handle, keys };
  const languageNow = useLanguageNow(language);
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const { initialText: doc } = latest.current;
    const call = (command: Command) => () => {
      latest.current.keys?.[command]?.();
      return true;
    };
    const own = commands
      .filter((command) => latest.current.keys?.[command] !== undefined)
      .map((command) => ({ key: editorKey(command), run: call(command), preventDefault: true }));
    const changes = EditorView.updateListener.of((update) => {
      if (update.docChanged) latest.current.onChange(update.state.doc.toString());
    });
    const helps = byLanguage(languageNow);
    const extensions = [keymap.of(own), basics(label), helps, changes, EditorState.readOnly.of(isReadOnly)];
    const editor = new EditorView({ parent: root, root, state: EditorState.create({ doc, extensions }) });
    view.current = editor;
    latest.current.handle?.(handleOf(editor));
    return () => {
      latest.current.handle?.(undefined);
      // One that is made anew, such as to be written in, goes on with the text.
      latest.current.initialText = editor.state.doc.toString();
      editor.destroy();
    };
  }, [label, isReadOnly, languageNow]);
  useEffect(() => {
    const editor = view.current;
    if (editor !== undefined) editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor.state, problems)));
  }, [problems]);
  return <div ref={host} className={style.host} />;
}

function basics(label: string): Extension {
  return [
    lineNumbers(),
    foldGutter(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    search({ top: true }),
    yaml(),
    lintGutter(),
    syntaxHighlighting(highlighting),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
    editorTheme,
    keymap.of([
      { key: editorKey("nextProblem"), run: nextDiagnostic },
      { key: editorKey("complete"), run: startCompletion },
    ]),
    // Tab leaves the editor.
    keymap.of([...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...completionKeymap, ...lintKeymap]),
  ];
}

/** The language that there is, or the promise of one that loads; what is typed meanwhile is completed once it is there. */
type LanguageNow = () => Language | Promise<Language> | undefined;

function useLanguageNow(language: Language | "loading" | undefined): LanguageNow {
  const [loaded] = useState(() => Promise.withResolvers<Language>());
  const latest = useLatest(language);
  useEffect(() => {
    if (language !== undefined && language !== "loading") loaded.resolve(language);
  }, [language, loaded]);
  return useCallback(() => (latest.current === "loading" ? loaded.promise : latest.current), [latest, loaded]);
}

/** Completion and hover by the language. */
function byLanguage(languageNow: LanguageNow): Extension {
  const offer = (context: CompletionContext) => {
    const language = languageNow();
    if (language instanceof Promise) return language.then((loaded) => complete(loaded, context));
    return language === undefined ? null : complete(language, context);
  };
  const tell = async (view: EditorView, pos: number) => {
    const language = await languageNow();
    const found = language && describe(language, view.state, pos);
    if (found === undefined) return null;
    const dom = document.createElement("p");
    dom.className = "cm-description";
    dom.textContent = found.text;
    return { pos: found.from, end: found.to, create: () => ({ dom }) };
  };
  return [autocompletion({ override: [offer] }), hoverTooltip(tell)];
}

function handleOf(editor: EditorView): EditorHandle {
  return {
    goTo(line, column) {
      const anchor = offsetOf(editor.state.doc, line, column);
      editor.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
      editor.focus();
    },
    fix(problem) {
      const change = fixOf(editor.state.doc, problem);
      if (change !== undefined) editor.dispatch({ changes: change });
      editor.focus();
    },
    setText(text) {
      // Taken back by one undo, whatever is done right after it.
      const annotations = isolateHistory.of("full");
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text }, annotations });
    },
  };
}

function diagnosticsOf({ doc, readOnly }: EditorState, problems: readonly EditorProblem[]): Diagnostic[] {
  return problems.map((problem) => {
    const fix = readOnly ? undefined : fixOf(doc, problem);
    return {
      ...rangeOf(doc, problem),
      severity: problem.isWarning ? "warning" : "error",
      message: problem.text,
      ...(fix === undefined ? {} : { actions: [actionOf(problem, fix.insert)] }),
    };
  });
}

function actionOf(problem: EditorProblem, insert: string): Action {
  return {
    name: en.edit.replaceWith(insert),
    apply(view) {
      // The text may have changed since.
      const change = fixOf(view.state.doc, problem);
      if (change !== undefined) view.dispatch({ changes: change });
    },
  };
}
