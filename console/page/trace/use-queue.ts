import { createClient } from "@connectrpc/connect";
import { useRef, useState } from "react";
import type { AnnotationQueueItem } from "../../../gen/policyguard/control/v1/annotation_pb.ts";
import { AnnotationService } from "../../../gen/policyguard/control/v1/annotation_service_pb.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { transport } from "../../data/transport.ts";
import { useBusy } from "../../part/busy.ts";
import type { MarkedQueue } from "./marks.tsx";

const annotations = createClient(AnnotationService, transport);

/** A mark that was made in this round. */
interface Made {
  readonly item: AnnotationQueueItem;
  readonly markId: string;
}

/** Where somebody is among the traces of a round, and what they have marked. */
export function useQueue(items: readonly AnnotationQueueItem[]) {
  const { orgId } = useOrganization();
  const [at, setAt] = useState(0);
  const [made, setMade] = useState<readonly Made[]>([]);
  const [isMarking, setMarking] = useState(false);
  // Whether the reader went to the trace that is shown; else it came up after the last one.
  const [hasWalked, setWalked] = useState(false);
  const wantsUndo = useRef(false);
  const takeBack = useBusy();
  const item = items[at];
  const last = made.at(-1);
  const isShownMade = hasWalked && made.some((each) => each.item === item);
  const forget = (done: AnnotationQueueItem) => setMade((former) => former.filter((each) => each.item !== done));
  /** Goes to the next one: answers may cross each other, and come after the reader has gone elsewhere. */
  const leave = (done: AnnotationQueueItem) => {
    setWalked(false);
    setAt((now) => (items[now] === done ? now + 1 : now));
  };
  const withdraw = async ({ item: { traceId }, markId }: Made) => {
    await annotations.deleteAnnotation({ orgId, traceId, annotationId: markId });
    await invalidate(AnnotationService.method.deleteAnnotation);
  };
  const mark = async (make: () => Promise<string>) => {
    if (item === undefined) return;
    wantsUndo.current = false;
    setMarking(true);
    try {
      const one = { item, markId: await make() };
      if (wantsUndo.current) return await withdraw(one);
      setMade((former) => [...former.filter((each) => each.item !== item), one]);
      leave(item);
    } finally {
      setMarking(false);
    }
  };
  /** Takes back the last mark and goes to its trace. One that is on its way is taken back as soon as it is made. */
  const undoLast = () => {
    wantsUndo.current = isMarking;
    if (last === undefined || isMarking) return;
    takeBack.run(async () => {
      await withdraw(last);
      forget(last.item);
      setWalked(false);
      setAt(items.indexOf(last.item));
    });
  };
  const hasUndo = isMarking || (last !== undefined && !isShownMade);
  return {
    ...{ item, at, marked: made.length, leave, undoLast: hasUndo ? undoLast : undefined, takeBack },
    move: (step: number) => {
      setWalked(true);
      setAt(Math.min(Math.max(at + step, 0), items.length));
    },
    queue: { mark, hasUndo, onTakenBack: () => item && forget(item) } satisfies MarkedQueue,
  };
}
