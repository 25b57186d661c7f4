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
import { useProjects } from "../../data/project.ts";
import { transport } from "../../data/transport.ts";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { commands, shortcuts, shownKey } from "../../part/keys/shortcuts.ts";
import { areSingleKeysOn, useKeys } from "../../part/keys/use-keys.ts";
import { NothingYet } from "../../part/onboarding/nothing-yet.tsx";
import { Page } from "../../part/page.tsx";
import { ProjectSelect } from "../../part/project-select.tsx";
import { Empty, Failed, Loading, Refused } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { TraceContent } from "./drawer.tsx";
import { KeyHint } from "./key-hint.tsx";
import style from "./trace.module.css";

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
  const { projects, further } = useProjects(search.project);
  const mayReview = can(AnnotationService.method.leaseAnnotationQueue);
  // A lease keeps traces from others for a while; repeating it gives the same ones, so it is asked like a list. What
  // was marked leaves the queue, so the list stays as it is until the reader asks for more.
  const lease = useCall({
    queryKey: ["review", orgId, search.project],
    queryFn: () =>
      annotations.leaseAnnotationQueue({
        orgId,
        limit: leased,
        ...(search.project === undefined ? {} : { projectId: search.project }),
      }),
    enabled: mayReview,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const [round, setRound] = useState(0);
  const again = async () => {
    await lease.refetch();
    setRound((former) => former + 1);
  };
  return (
    <Page
      title={texts.title}
      actions={
        projects.length > 1 && (
          <ProjectSelect
            projects={projects}
            further={further}
            value={search.project}
            all
            onChange={(project) => navigate({ search: project === undefined ? {} : { project }, replace: true })}
          />
        )
      }
    >
      {!mayReview && <Refused needed="editor" />}
      {lease.error !== null && <Failed error={lease.error} onRetry={again} />}
      {mayReview && lease.data === undefined && lease.error === null && <Loading />}
      {lease.data !== undefined && (
        <Queue key={`${search.project} ${round}`} leased={lease.data.items} onMore={again} />
      )}
    </Page>
  );
}

/** What was leased at the start of a round, whatever is leased later, such as after a new sign-in. */
function Queue({
  leased: newest,
  onMore,
}: {
  readonly leased: readonly AnnotationQueueItem[];
  readonly onMore: () => void;
}) {
  const { orgId } = useOrganization();
  const [items] = useState(newest);
  const [at, setAt] = useState(0);
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const skip = useBusy();
  const item = items[at];
  const move = (step: number) => setAt(Math.min(Math.max(at + step, 0), items.length));
  /** Goes to the next one: answers may cross each other, and come after the reader has gone elsewhere. */
  const leave = (done: AnnotationQueueItem) => setAt((now) => (items[now] === done ? now + 1 : now));
  const skipThis = () => {
    if (item === undefined || skip.isBusy) return;
    skip.run(async () => {
      await annotations.skipAnnotationQueueItem({ orgId, traceId: item.traceId });
      leave(item);
    });
  };
  useKeys({ nextInQueue: () => move(1), previousInQueue: () => move(-1), skip: skipThis });
  if (items.length === 0)
    return (
      <NothingYet of="review" title={texts.queueEmpty} text={texts.queueEmptyText}>
        <Button onClick={onMore}>{texts.again}</Button>
      </NothingYet>
    );
  return (
    <>
      <div className={style.queueHead}>
        <span role="status">
          {item === undefined ? texts.done(marked.size) : texts.position(at + 1, items.length)}
          {item !== undefined && <span className={style.dim}> · {whyOf(item)}</span>}
        </span>
        <span className={style.markButtons}>
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
      {item === undefined ? (
        <Empty title={texts.done(marked.size)}>
          <Button kind="primary" onClick={onMore}>
            {texts.again}
          </Button>
        </Empty>
      ) : (
        <Item
          key={item.traceId}
          traceId={item.traceId}
          isBlind={item.isSecondOpinion}
          onMarked={() => {
            setMarked((former) => new Set(former).add(item.traceId));
            leave(item);
          }}
        />
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
  traceId,
  isBlind,
  onMarked,
}: {
  readonly traceId: string;
  readonly isBlind: boolean;
  readonly onMarked: () => void;
}) {
  const { orgId } = useOrganization();
  const { data, error, refetch } = useQuery(TraceService.method.getTrace, { orgId, traceId });
  if (error !== null && failureOf(error).kind === "gone") return <Empty title={texts.gone} />;
  // A note that is typed stays on the page when the trace cannot be loaded anew.
  if (data?.trace === undefined) return error === null ? <Loading /> : <Failed error={error} onRetry={refetch} />;
  return (
    <div className={style.review}>
      <TraceContent trace={data.trace} isBlind={isBlind} onMarked={onMarked} />
    </div>
  );
}
