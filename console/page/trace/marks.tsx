import { createClient } from "@connectrpc/connect";
import { useQuery } from "@connectrpc/connect-query";
import { useRef, useState } from "react";
import type { Annotation } from "../../../gen/policyguard/control/v1/annotation_pb.ts";
import { AnnotationService } from "../../../gen/policyguard/control/v1/annotation_service_pb.ts";
import type { Trace } from "../../../gen/policyguard/control/v1/trace_pb.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { transport } from "../../data/transport.ts";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { TextField } from "../../part/field.tsx";
import { useKeys } from "../../part/keys.ts";
import { Failed, Loading } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { Additions } from "./additions.tsx";
import { type MarkKind, markKinds, markName, markRequest, whyNotMark } from "./mark-kind.ts";
import style from "./trace.module.css";

const texts = en.review;
const annotations = createClient(AnnotationService, transport);

/** What people say of a trace, and the keys to say it: 1 to 4 mark, n writes a note, u takes back. */
export function Marks({
  trace,
  isBlind = false,
  onMarked,
}: {
  readonly trace: Trace;
  /** Whether the marks of others stay hidden until the person has said something: a second opinion is its own. */
  readonly isBlind?: boolean;
  readonly onMarked?: () => void;
}) {
  const { orgId, accountId, can } = useOrganization();
  const mayMark = can(AnnotationService.method.createAnnotation);
  const list = useQuery(AnnotationService.method.listTraceAnnotations, { orgId, traceId: trace.id });
  const { run, isBusy, error } = useBusy();
  const [note, setNote] = useState("");
  const noteField = useRef<HTMLInputElement>(null);
  const mine = list.data?.annotations.find(({ annotator }) => annotator?.id === accountId);
  const mark = async (kind: MarkKind) => {
    await annotations.createAnnotation({ orgId, traceId: trace.id, ...markRequest(kind, note) });
    // What was typed meanwhile is the next note.
    setNote((now) => (now === note ? "" : now));
    await invalidate(AnnotationService.method.createAnnotation);
  };
  const choose = (kind: MarkKind) => {
    if (!mayMark || isBusy || whyNotMark(kind, trace) !== undefined) return;
    run(async () => {
      await mark(kind);
      onMarked?.();
    });
  };
  const undo = () => {
    if (mine === undefined || isBusy) return;
    run(async () => {
      await annotations.deleteAnnotation({ orgId, traceId: trace.id, annotationId: mine.id });
      await invalidate(AnnotationService.method.deleteAnnotation);
    });
  };
  useKeys({
    ...Object.fromEntries(markKinds.map((kind) => [kind.key, () => choose(kind)])),
    n: () => noteField.current?.focus(),
    u: undo,
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
                key={kind.key}
                aria-pressed={mine?.mark === kind.mark}
                why={whyNotMark(kind, trace)}
                title={texts.hints[kind.name]}
                disabled={isBusy}
                onClick={() => choose(kind)}
              >
                <span className={style.key} aria-hidden="true">
                  {kind.key}
                </span>{" "}
                {texts.mark[kind.name]}
              </Button>
            ))}
          </div>
          <TextField
            ref={noteField}
            label={texts.note}
            value={note}
            maxLength={2000}
            onChange={(event) => setNote(event.target.value)}
            onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
          />
          <div className={style.markButtons}>
            {mine !== undefined && (
              <Button kind="quiet" disabled={isBusy} onClick={undo}>
                <span className={style.key} aria-hidden="true">
                  u
                </span>{" "}
                {texts.undo}
              </Button>
            )}
            <Additions trace={trace} onAdd={() => mark(markKinds[0])} />
          </div>
        </>
      )}
    </section>
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
