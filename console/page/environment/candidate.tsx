import { createClient } from "@connectrpc/connect";
import { useQuery } from "@connectrpc/connect-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import type { Candidate } from "../../../gen/policyguard/control/v1/bundle_pb.ts";
import { BundleService } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import { failureOf } from "../../data/failure.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { transport } from "../../data/transport.ts";
import { Ago } from "../../part/ago.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { TextField } from "../../part/field.tsx";
import { Outcome } from "../../part/judgement/outcome.tsx";
import { cellKey, OutcomeMatrix } from "../../part/judgement/outcome-matrix.tsx";
import { outcomeName } from "../../part/judgement/outcome-name.ts";
import { Failed, Loading } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { count, share } from "../../text/format.ts";
import style from "./environment.module.css";
import type { Place } from "./place.ts";

const texts = en.bundle;
const bundles = createClient(BundleService, transport);
/** Runtimes report what they compared every few seconds. */
const newMs = 5_000;
/** How often it is asked whether somebody else has begun to compare. */
const absentMs = 60_000;

/** The version beside the active one: how it has compared so far, or the way to begin. */
export function CandidateSection({ place, version }: { readonly place: Place; readonly version: number }) {
  const { can } = useOrganization();
  const { data, error, isFetched, refetch } = useQuery(BundleService.method.getCandidate, place, {
    refetchInterval: ({ state }) => (isAbsent(state.error) ? absentMs : newMs),
    retry: false,
  });
  const isMissing = isAbsent(error);
  const candidate = isMissing ? undefined : data?.candidate;
  const isThis = candidate?.version === version;
  const drop = useBusy();
  return (
    <section className={style.section} aria-label={texts.candidate}>
      <h2>{texts.candidate}</h2>
      <p className={style.dim}>{texts.candidateText}</p>
      {error !== null && !isMissing && <Failed error={error} onRetry={refetch} />}
      {!isFetched && <Loading rows={2} />}
      {isThis && candidate !== undefined && <Comparison candidate={candidate} />}
      {drop.error !== undefined && <Failed error={drop.error} />}
      {isThis && can(BundleService.method.dropCandidate) && (
        <p>
          <Button
            disabled={drop.isBusy}
            onClick={() =>
              drop.run(async () => {
                await bundles.dropCandidate(place);
                await invalidate(BundleService.method.dropCandidate);
              })
            }
          >
            {texts.drop}
          </Button>
        </p>
      )}
      {!isThis && can(BundleService.method.startCandidate) && (
        <Start place={place} version={version} hasOther={candidate !== undefined} />
      )}
    </section>
  );
}

function isAbsent(error: unknown): boolean {
  return error !== null && failureOf(error).kind === "gone";
}

function Start({
  place,
  version,
  hasOther,
}: {
  readonly place: Place;
  readonly version: number;
  readonly hasOther: boolean;
}) {
  const { run, isBusy, error } = useBusy();
  const [percent, setPercent] = useState("100");
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const hours = Number(new FormData(event.currentTarget).get("hours"));
    run(async () => {
      await bundles.startCandidate({ ...place, version, percent: Number(percent), expiresInHours: hours });
      await invalidate(BundleService.method.startCandidate);
    });
  };
  return (
    <form className={style.inline} onSubmit={submit}>
      <TextField
        label={texts.percent}
        type="number"
        min={1}
        max={100}
        required
        value={percent}
        onChange={(event) => setPercent(event.target.value)}
      />
      <TextField label={texts.hours} name="hours" type="number" min={1} max={720} required defaultValue="72" />
      <Button type="submit" disabled={isBusy}>
        {texts.start(Number(percent))}
      </Button>
      {hasOther && <p className={style.dim}>{texts.startAgain}</p>}
      {error !== undefined && <Failed error={error} />}
    </form>
  );
}

function Comparison({ candidate }: { readonly candidate: Candidate }) {
  const { evaluations, disagreements, skipped, failed, expired, expiresAt, loadFailure } = candidate;
  return (
    <>
      <p>
        {evaluations === 0 ? (
          texts.noneYet
        ) : (
          <strong>{texts.disagree(share(disagreements / evaluations), count(evaluations))}</strong>
        )}{" "}
        <span className={style.dim}>
          {skipped > 0 && `${texts.skipped(count(skipped))} · `}
          {failed > 0 && `${texts.failedCount(count(failed))} · `}
          {expired ? (
            texts.expired
          ) : (
            <>
              {texts.until} <Ago time={expiresAt} />
            </>
          )}
        </span>
      </p>
      {loadFailure !== undefined && <p className={style.weaker}>{texts.loadFailure(loadFailure)}</p>}
      {evaluations > 0 && <OutcomeMatrix cells={cellsOf(candidate)} />}
      <Samples candidate={candidate} />
    </>
  );
}

function cellsOf({ counts }: Candidate): ReadonlyMap<string, number> {
  return new Map(
    counts.map((each) => [
      cellKey(outcomeName(each.activeOutcome), outcomeName(each.candidateOutcome)),
      each.evaluations,
    ]),
  );
}

function Samples({ candidate: { samples } }: { readonly candidate: Candidate }) {
  const { orgId } = useOrganization();
  if (samples.length === 0) return null;
  return (
    <>
      <h3>{texts.samples}</h3>
      <ul className={style.samples}>
        {samples.map(({ evaluationId, activeOutcome, candidateOutcome, candidateRule, createdAt }) => (
          <li key={evaluationId}>
            <Outcome value={outcomeName(activeOutcome)} /> → <Outcome value={outcomeName(candidateOutcome)} />{" "}
            {candidateRule !== undefined && <code>{candidateRule}</code>} <Ago time={createdAt} />{" "}
            <Link to="/o/$org/traces/$trace" params={{ org: orgId, trace: evaluationId }}>
              {texts.openTrace}
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
