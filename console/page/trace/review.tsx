import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { useQuery } from "@connectrpc/connect-query";
import { useQuery as useCall } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { AnnotationQueueItem } from "../../../gen/policyguard/control/v1/annotation_pb.ts";
import { AnnotationService } from "../../../gen/policyguard/control/v1/annotation_service_pb.ts";
import { TraceService } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { failureOf } from "../../data/failure.ts";
import { useOrganization } from "../../data/organization.ts";
import { transport } from "../../data/transport.ts";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { commands, shortcuts, shownKey } from "../../part/keys/shortcuts.ts";
import { areSingleKeysOn, useKeys } from "../../part/keys/use-keys.ts";
import { NothingYet } from "../../part/onboarding/nothing-yet.tsx";
import { Page } from "../../part/page.tsx";
import { Empty, Failed, Loading, Refused } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { windowOf } from "./carried.ts";
import { TraceContent } from "./drawer.tsx";
import { filterRequest } from "./filter-request.ts";
import { TraceFilters } from "./filters.tsx";
import { KeyHint } from "./key-hint.tsx";
import type { MarkedQueue } from "./marks.tsx";
import { WithNotes } from "./notes.tsx";
import { type TraceSearch, unqueued } from "./search.ts";
import style from "./trace.module.css";
import { useQueue } from "./use-queue.ts";

const texts = en.review;
const annotations = createClient(AnnotationService, transport);
const leased = 20;
const keysOfQueue = commands
  .filter((command) => /^(?:trace|review)$/.test(shortcuts[command].group))
  .map((command) => `${shownKey(command)} ${shortcuts[command].does}`)
  .join(", ");

/** The queue of traces that wait for this person, one after the other, by keys. */
export function ReviewPage() {
  const { orgId, can } = useOrganization();
  const search = useSearch({ from: "/o/$org/review" });
  const navigate = useNavigate({ from: "/o/$org/review" });
  const mayReview = can(AnnotationService.method.leaseAnnotationQueue);
  // A lease keeps traces from others for a while; repeating it gives the same ones, so it is asked like a list. What
  // was marked leaves the queue, so the list stays as it is until the reader asks for more.
  const lease = useCall({
    queryKey: ["review", orgId, search],
    queryFn: () => annotations.leaseAnnotationQueue({ orgId, limit: leased, ...leaseRequest(search) }),
    enabled: mayReview,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const [round, setRound] = useState(0);
  const again = async () => {
    await lease.refetch();
    setRound((former) => former + 1);
  };
  const change = (part: Partial<Record<keyof TraceSearch, string | undefined>>) =>
    navigate({ search: (former) => ({ ...former, ...part }) as TraceSearch, replace: true });
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Page title={texts.title}>
      <WithNotes>
        {!mayReview && <Refused needed="editor" />}
        {mayReview && <TraceFilters search={search} onChange={change} anyTime={texts.anyTime} without={unqueued} />}
        {lease.error !== null && <Failed error={lease.error} onRetry={again} />}
        {mayReview && lease.data === undefined && lease.error === null && <Loading />}
        {lease.data !== undefined && (
          <Queue
            key={`${JSON.stringify(search)} ${round}`}
            leased={lease.data.items}
            onMore={again}
            onClear={isFiltered ? () => navigate({ search: {}, replace: true }) : undefined}
          />
        )}
      </WithNotes>
    </Page>
  );
}

/** The filters as the call has them. */
function leaseRequest(search: TraceSearch) {
  const { sessionId: _, userId: __, annotation: ___, ...filter } = filterRequest(search);
  const { range, since, until } = search;
  if ((range ?? since ?? until) === undefined) return filter;
  const window = windowOf(search, new Date());
  return {
    ...filter,
    // A window that only ends begins at no time.
    ...((range ?? since) === undefined ? {} : { since: timestampFromDate(window.since) }),
    until: timestampFromDate(window.until),
  };
}

/** What was leased at the start of a round, whatever is leased later, such as after a new sign-in. */
function Queue({
  leased: newest,
  onMore,
  onClear,
}: {
  readonly leased: readonly AnnotationQueueItem[];
  readonly onMore: () => void;
  /** Looks at the whole queue; undefined when it is looked at. */
  readonly onClear: (() => void) | undefined;
}) {
  const { orgId } = useOrganization();
  const [items] = useState(newest);
  const { item, at, marked, leave, move, undoLast, takeBack, queue } = useQueue(items);
  const skip = useBusy();
  const skipThis = () => {
    if (item === undefined || skip.isBusy) return;
    skip.run(async () => {
      await annotations.skipAnnotationQueueItem({ orgId, traceId: item.traceId });
      leave(item);
    });
  };
  useKeys({
    ...{ nextInQueue: () => move(1), previousInQueue: () => move(-1), skip: skipThis },
    ...(undoLast === undefined ? {} : { undo: undoLast }),
  });
  if (items.length === 0) {
    const again = <Button onClick={onMore}>{texts.again}</Button>;
    if (onClear === undefined)
      return (
        <NothingYet of="review" title={texts.queueEmpty} text={texts.queueEmptyText}>
          {again}
        </NothingYet>
      );
    return (
      <Empty title={texts.queueNothing}>
        {again}
        <Button onClick={onClear}>{en.traces.clear}</Button>
      </Empty>
    );
  }
  return (
    <>
      <div className={style.queueHead}>
        <span role="status">
          {item === undefined ? texts.done(marked) : texts.position(at + 1, items.length)}
          {item !== undefined && <span className={style.dim}> · {whyOf(item)}</span>}
        </span>
        <span className={style.markButtons}>
          {undoLast !== undefined && (
            <Button kind="quiet" hotkey="undo" disabled={takeBack.isBusy} onClick={undoLast}>
              <KeyHint command="undo" />
              {texts.undoLast}
            </Button>
          )}
          <Button
            kind="quiet"
            hotkey="previousInQueue"
            why={at === 0 ? texts.previous : undefined}
            onClick={() => move(-1)}
          >
            ← {texts.previous}
          </Button>
          <Button kind="quiet" hotkey="nextInQueue" disabled={item === undefined} onClick={() => move(1)}>
            {texts.next} →
          </Button>
          <Button kind="quiet" hotkey="skip" disabled={item === undefined || skip.isBusy} onClick={skipThis}>
            <KeyHint command="skip" />
            {texts.skip}
          </Button>
        </span>
      </div>
      {skip.error !== undefined && <Failed error={skip.error} />}
      {takeBack.error !== undefined && <Failed error={takeBack.error} />}
      {item === undefined ? (
        <Empty title={texts.done(marked)}>
          <Button kind="primary" onClick={onMore}>
            {texts.again}
          </Button>
        </Empty>
      ) : (
        <Item key={item.traceId} item={item} queue={queue} />
      )}
      {areSingleKeysOn() && <p className={style.dim}>{keysOfQueue}</p>}
    </>
  );
}

function whyOf({ lane, reason, isSecondOpinion }: AnnotationQueueItem): string {
  const why = reason === undefined ? texts.lanes[lane] : (texts.why[reason] ?? reason);
  return isSecondOpinion ? `${why}, ${texts.secondOpinion}` : (why ?? "");
}

function Item({
  item: { traceId, isSecondOpinion },
  queue,
}: {
  readonly item: AnnotationQueueItem;
  readonly queue: MarkedQueue;
}) {
  const { orgId } = useOrganization();
  const { data, error, refetch } = useQuery(TraceService.method.getTrace, { orgId, traceId });
  if (error !== null && failureOf(error).kind === "gone") return <Empty title={texts.gone} />;
  // A note that is typed stays on the page when the trace cannot be loaded anew.
  if (data?.trace === undefined) return error === null ? <Loading /> : <Failed error={error} onRetry={refetch} />;
  return (
    <div className={style.review}>
      <TraceContent trace={data.trace} isBlind={isSecondOpinion} queue={queue} />
    </div>
  );
}
