import { createClient } from "@connectrpc/connect";
import { useQuery } from "@connectrpc/connect-query";
import { useRef } from "react";
import type { Annotation } from "../../../gen/policyguard/control/v1/annotation_pb.ts";
import { AnnotationService } from "../../../gen/policyguard/control/v1/annotation_service_pb.ts";
import type { Trace } from "../../../gen/policyguard/control/v1/trace_pb.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { transport } from "../../data/transport.ts";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { TextField } from "../../part/field.tsx";
import { isPressed } from "../../part/keys/shortcuts.ts";
import { keyHints, useKeys } from "../../part/keys/use-keys.ts";
import { Failed, Loading } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { Additions } from "./additions.tsx";
import { KeyHint } from "./key-hint.tsx";
import { type MarkKind, markKinds, markName, markRequest, whyNotMark } from "./mark-kind.ts";
import { useNote } from "./notes.tsx";
import style from "./trace.module.css";

const texts = en.review;
const annotations = createClient(AnnotationService, transport);

/** A queue of which the trace is one. */
export interface MarkedQueue {
  /** Has the mark made, which answers its id, and goes on. */
  readonly mark: (make: () => Promise<string>) => Promise<void>;
  readonly onTakenBack: () => void;
  /** Whether the key takes back another mark than that of this trace. */
  readonly hasUndo: boolean;
}

/** What people say of a trace, and the keys to say it: 1 to 4 mark, n writes a note, u takes back. */
export function Marks({
  trace,
  isBlind = false,
  queue,
}: {
  readonly trace: Trace;
  /** Whether the marks of others stay hidden until the person has said something: a second opinion is its own. */
  readonly isBlind?: boolean;
  readonly queue?: MarkedQueue | undefined;
}) {
  const { orgId, accountId, can } = useOrganization();
  const mayMark = can(AnnotationService.method.createAnnotation);
  const list = useQuery(AnnotationService.method.listTraceAnnotations, { orgId, traceId: trace.id });
  const { run, isBusy, error } = useBusy();
  const { note, write, forget } = useNote(trace.id);
  const noteField = useRef<HTMLInputElement>(null);
  const mine = list.data?.annotations.find(({ annotator }) => annotator?.id === accountId);
  const mark = async (kind: MarkKind) => {
    const said = { orgId, traceId: trace.id, ...markRequest(kind, note) };
    const { annotation } = await annotations.createAnnotation(said);
    // What was typed meanwhile is the next note.
    forget(note);
    await invalidate(AnnotationService.method.createAnnotation);
    return annotation?.id ?? "";
  };
  const choose = (kind: MarkKind) => {
    if (!mayMark || isBusy || whyNotMark(kind, trace) !== undefined) return;
    run(async () => {
      if (queue === undefined) await mark(kind);
      else await queue.mark(() => mark(kind));
    });
  };
  const undo = () => {
    if (mine === undefined || isBusy) return;
    run(async () => {
      await annotations.deleteAnnotation({ orgId, traceId: trace.id, annotationId: mine.id });
      await invalidate(AnnotationService.method.deleteAnnotation);
      queue?.onTakenBack();
    });
  };
  const hasUndo = queue?.hasUndo === true;
  const [falsePositive, falseNegative, correct, acceptable] = markKinds;
  useKeys({
    falsePositive: () => choose(falsePositive),
    falseNegative: () => choose(falseNegative),
    correct: () => choose(correct),
    acceptable: () => choose(acceptable),
    note: () => noteField.current?.focus(),
    ...(hasUndo ? {} : { undo }),
  });
  return (
    <section className={style.marks} aria-label={texts.marks}>
      <h3>{texts.marks}</h3>
      {list.error !== null && <Failed error={list.error} onRetry={list.refetch} />}
      {list.data === undefined && list.error === null && <Loading rows={1} />}
      {isBlind && mine === undefined ? (
        <p className={style.dim}>{texts.blind}</p>
      ) : (
        <Said annotations={list.data?.annotations ?? []} isLoaded={list.data !== undefined} trace={trace} />
      )}
      {error !== undefined && <Failed error={error} />}
      {mayMark && (
        <>
          <div className={style.markButtons}>
            {markKinds.map((kind) => (
              <Button
                key={kind.name}
                hotkey={kind.name}
                aria-pressed={mine?.mark === kind.mark}
                why={whyNotMark(kind, trace)}
                title={texts.hints[kind.name]}
                disabled={isBusy}
                onClick={() => choose(kind)}
              >
                <KeyHint command={kind.name} />
                {texts.mark[kind.name]}
              </Button>
            ))}
          </div>
          <TextField
            ref={noteField}
            label={texts.note}
            value={note}
            {...keyHints("note")}
            maxLength={2000}
            onChange={(event) => write(event.target.value)}
            onKeyDown={(event) => isPressed("close", event) && event.currentTarget.blur()}
          />
          <div className={style.markButtons}>
            {mine !== undefined && <TakeBack hasKey={!hasUndo} isBusy={isBusy} onClick={undo} />}
            <Additions trace={trace} onAdd={async () => void (await mark(falsePositive))} />
          </div>
        </>
      )}
    </section>
  );
}

function TakeBack({
  hasKey,
  isBusy,
  onClick,
}: {
  readonly hasKey: boolean;
  readonly isBusy: boolean;
  readonly onClick: () => void;
}) {
  return (
    <Button kind="quiet" {...(hasKey ? { hotkey: "undo" } : {})} disabled={isBusy} onClick={onClick}>
      {hasKey && <KeyHint command="undo" />}
      {texts.undo}
    </Button>
  );
}

function Said({
  annotations: list,
  isLoaded,
  trace,
}: {
  readonly annotations: readonly Annotation[];
  readonly isLoaded: boolean;
  readonly trace: Trace;
}) {
  if (list.length === 0) return isLoaded ? <p className={style.dim}>{texts.nobody}</p> : null;
  return (
    <ul className={style.said}>
      {list.map(({ id, annotator, mark, note }) => (
        <li key={id}>
          {texts.says(annotator?.label ?? "", markName(mark))}
          {note !== undefined && <span className={style.detail}>{note}</span>}
        </li>
      ))}
      {trace.annotationSummary?.isDisputed && <li className={style.disputed}>{texts.disputed}</li>}
    </ul>
  );
}
