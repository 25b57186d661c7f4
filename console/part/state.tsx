// The states that every list and form has besides its content: loading, empty, failed.

import { Link } from "@tanstack/react-router";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { type Failure, failureOf } from "../data/failure.ts";
import { en } from "../text/en.ts";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy/copy-button.tsx";
import style from "./state.module.css";
import { useTold } from "./told.ts";

const tickMs = 250;

/** Who reads, where that is known: what a failure says of ways on depends on it. */
export const Reader = createContext<{
  /** Their role here, such as "editor". */
  readonly role?: string;
  /** The organization whose plans they may look at. */
  readonly billing?: string | undefined;
}>({});

/** Rows that stand for what is being loaded, once it takes a noticeable time. */
export function Loading({ rows = 6 }: { readonly rows?: number }) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div role="status" aria-label={en.common.loading} className={style.loading}>
      {isSlow &&
        Array.from({ length: rows }, (_, row) => `row ${row}`).map((row) => <div key={row} className={style.bone} />)}
    </div>
  );
}

/** Nothing to show: what would be here, and the way to the first one. */
export function Empty({
  title,
  text,
  children,
}: {
  readonly title: string;
  readonly text?: string;
  readonly children?: ReactNode;
}) {
  return (
    <div className={style.empty}>
      <h2>{title}</h2>
      {text !== undefined && <p>{text}</p>}
      {children}
    </div>
  );
}

/** In place of what a role may not see or do: which one may. */
export function Refused({ needed }: { readonly needed: "editor" | "admin" }) {
  return (
    <Empty title={en.failure.refused}>
      <WhoCould needed={needed} />
    </Empty>
  );
}

function WhoCould({ needed }: { readonly needed: string }) {
  const { role: own } = useContext(Reader);
  const nameOf = (role: string) => en.roles.names[role] ?? role;
  return <p>{en.failure.whoCould(nameOf(needed), own === undefined ? undefined : nameOf(own))}</p>;
}

/** The way to more than the plan has, or whom to ask. */
function ToPlans() {
  const { billing } = useContext(Reader);
  if (billing === undefined) return <span>{en.billing.gateAsk}</span>;
  return (
    <Link to="/o/$org/settings/billing" params={{ org: billing }}>
      {en.billing.gatePlans}
    </Link>
  );
}

/** What a failure says to the reader. */
export function messageOf(failure: Failure): string {
  const { failure: texts } = en;
  const fixed = {
    unreachable: texts.unreachable,
    gone: texts.gone,
    billing_blocked: texts.billing,
    script: texts.script,
  } as const;
  if (failure.kind in fixed) return fixed[failure.kind as keyof typeof fixed];
  if (failure.planUse !== undefined) {
    const { used, limit, resetsAt } = failure.planUse;
    return texts.planUsed(used, limit, resetsAt);
  }
  const said = failure.message || texts.broken;
  if (failure.retryAfter === undefined) return said;
  return /[.!?]$/.test(said) ? said : `${said}.`;
}

/** A failed call, in the part of the page that it belongs to. */
export function Failed({ error, onRetry }: { readonly error: unknown; readonly onRetry?: (() => void) | undefined }) {
  useTold(error);
  return <FailureNotice failure={failureOf(error)} onRetry={onRetry} />;
}

/** What a failure says, and the way to try again. `lead` says what failed, where that is not plain. */
export function FailureNotice({
  failure,
  lead,
  onRetry,
}: {
  readonly failure: Failure;
  readonly lead?: string;
  readonly onRetry?: (() => void) | undefined;
}) {
  return (
    <div className={style.failed} role="alert">
      {/* The message of several refused fields names the first only. */}
      {failure.fields.length > 1 ? (
        <ul className={style.fields}>
          {failure.fields.map(({ field, message }) => (
            <li key={`${field} ${message}`}>{en.failure.field(field, message)}</li>
          ))}
        </ul>
      ) : (
        <p>{lead === undefined ? messageOf(failure) : `${lead} ${messageOf(failure)}`}</p>
      )}
      {failure.role !== undefined && <WhoCould needed={failure.role} />}
      {failure.kind === "plan_limit" && <ToPlans />}
      {failure.retryAfter !== undefined && <RetryIn key={failure.requestId} seconds={failure.retryAfter} />}
      {failure.kind === "broken" && failure.requestId !== undefined && (
        <>
          <p className={style.request}>{en.common.requestId(failure.requestId)}</p>
          <CopyButton label={en.common.requestId(failure.requestId)} text={failure.requestId} />
        </>
      )}
      {onRetry !== undefined && <Button onClick={onRetry}>{en.common.retry}</Button>}
    </div>
  );
}

/** Counts down until a retry makes sense. Listeners hear the first number only: a timer is announced to nobody. */
function RetryIn({ seconds }: { readonly seconds: number }) {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    const endMs = performance.now() + seconds * 1_000;
    const timer = setInterval(() => {
      const next = Math.max(0, Math.ceil((endMs - performance.now()) / 1_000));
      setLeft(next);
      if (next === 0) clearInterval(timer);
    }, tickMs);
    return () => clearInterval(timer);
  }, [seconds]);
  return (
    <p role="timer" className={style.timer}>
      {left === 0 ? en.failure.retryNow : en.failure.retryIn(left)}
    </p>
  );
}

/** What a query has answered, or that it loads, or why it failed. Old data stays while newer data fails to load. */
export function Answered<Data>({
  query: { data, error, refetch },
  rows,
  children,
}: {
  readonly query: { readonly data: Data | undefined; readonly error: unknown; readonly refetch: () => unknown };
  readonly rows?: number;
  readonly children: (data: Data) => ReactNode;
}) {
  return (
    <>
      {error !== null && <Failed error={error} onRetry={refetch} />}
      {data === undefined && error === null && <Loading {...(rows === undefined ? {} : { rows })} />}
      {data !== undefined && children(data)}
    </>
  );
}
