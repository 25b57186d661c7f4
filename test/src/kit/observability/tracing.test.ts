import { expect, test } from "vitest";
import { childTrace, formatTraceparent, parseTraceparent } from "../../../../src/kit/observability/tracing.ts";

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
