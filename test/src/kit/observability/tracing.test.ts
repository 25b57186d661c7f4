import { afterEach, expect, test } from "vitest";
import {
  childTrace,
  type FinishedSpan,
  formatTraceparent,
  inJob,
  inSpan,
  outgoingTraceparent,
  parseTraceparent,
  recordedTraceparent,
  recordSpans,
  withinTrace,
} from "../../../../src/kit/observability/tracing.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";

test("a traceparent is read and written back unchanged", () => {
  const header = `00-${traceId}-${spanId}-01`;
  const context = parseTraceparent(header);
  expect(context).toEqual({ traceId, spanId, isSampled: true });
  expect(context && formatTraceparent(context)).toBe(header);
});

test("a later version may be longer", () => {
  expect(parseTraceparent(`cc-${traceId}-${spanId}-00-more`)).toEqual({ traceId, spanId, isSampled: false });
});

test.each([
  null,
  "",
  `00-${traceId}-${spanId}`,
  `00-${traceId}-${spanId}-01-more`,
  `ff-${traceId}-${spanId}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${"0".repeat(32)}-${spanId}-01`,
  `00-${traceId}-${"0".repeat(16)}-01`,
])("%j is no traceparent", (header) => {
  expect(parseTraceparent(header)).toBeUndefined();
});

test("a child stays in the trace of its parent under a span of its own, and without parent begins a trace", () => {
  const child = childTrace({ traceId, spanId, isSampled: true });
  expect(child).toMatchObject({ traceId, isSampled: true });
  expect(child.spanId).not.toBe(spanId);
  expect(parseTraceparent(formatTraceparent(childTrace(undefined)))).toBeDefined();
});

afterEach(() => recordSpans(undefined));

function recorded(ratio: number): FinishedSpan[] {
  const spans: FinishedSpan[] = [];
  recordSpans({ ratio, record: (span) => void spans.push(span) });
  return spans;
}

test("without a recorder no trace that begins here is chosen, and work is only done", async () => {
  expect(childTrace(undefined).isSampled).toBe(false);
  const trace = { traceId, spanId, isSampled: true };
  const work = () => inSpan("part", "client", async (span) => [span, recordedTraceparent()]);
  expect(await withinTrace(trace, work)).toEqual([undefined, undefined]);
  expect(withinTrace(trace, outgoingTraceparent)).toMatch(new RegExp(`^00-${traceId}-(?!${spanId})[0-9a-f]{16}-01$`));
});

test("about the given part of the traces that begin here is chosen, all of them at 1 and none at 0", () => {
  const chosen = (ratio: number) => {
    recorded(ratio);
    return Array.from({ length: 10_000 }, () => childTrace(undefined).isSampled).filter(Boolean).length;
  };
  expect(chosen(0)).toBe(0);
  expect(chosen(1)).toBe(10_000);
  // Beyond 8 standard deviations.
  expect(Math.abs(chosen(0.1) - 1_000)).toBeLessThan(240);
});

test("what a caller chose is recorded, and what a caller left out is not", async () => {
  const spans = recorded(1);
  const part = () => inSpan("part", "internal", async () => outgoingTraceparent());
  const header = await withinTrace({ traceId, spanId, isSampled: true }, part);
  expect(spans).toMatchObject([{ name: "part", trace: { traceId, parentSpanId: spanId } }]);
  expect(header).toBe(`00-${traceId}-${spans[0]?.trace.spanId}-01`);
  expect(await withinTrace({ traceId, spanId, isSampled: false }, part)).toMatch(/-00$/);
  expect(spans).toHaveLength(1);
});

test("a part that fails is recorded by the name of its failure, without the message", async () => {
  const spans = recorded(1);
  const failing = () => inSpan("part", "client", () => Promise.reject(new TypeError("what somebody wrote")));
  await expect(withinTrace({ traceId, spanId, isSampled: true }, failing)).rejects.toThrow("what somebody wrote");
  expect(spans[0]?.failure).toBe("TypeError");
  expect(JSON.stringify(spans)).not.toContain("somebody");
});

test("a job begins a trace of its own, which is chosen when its cause was, and names it", async () => {
  const spans = recorded(0);
  await inJob("job", `00-${traceId}-${spanId}-01`, async () => undefined);
  await inJob("job", `00-${traceId}-${spanId}-00`, async () => undefined);
  await inJob("job", null, async () => undefined);
  expect(spans).toMatchObject([{ kind: "consumer", cause: { traceId, spanId } }]);
  expect(spans[0]?.trace.traceId).not.toBe(traceId);
});
