// Spans for whoever watches (OpenTelemetry): one for a request, one inside for each tool call; names and numbers, no text.
// Without an SDK in the process none of this does anything.

import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type SpanContext,
} from '@opentelemetry/api';
import type { Settled } from './request_ties.ts';

/** The trace of one HTTP request. */
export interface RequestTrace {
  /** 32 hex digits; null where nobody traces and the client named no trace. */
  readonly traceId: string | null;
  /** Runs work as a part of it. */
  within<Value>(work: () => Value): Value;
  /** Begins a tool call; what is returned ends it. */
  toolCall(tool: string): (settled: Settled) => void;
  end(answer: { readonly status: number; readonly method: string; readonly outcome: string }): void;
}

const traceparentForm = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

/** Reads W3C's traceparent; null for what is none. */
export function readTraceparent(text: unknown): SpanContext | null {
  const [, traceId, spanId, flags] = typeof text === 'string' ? (traceparentForm.exec(text) ?? []) : [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

/** Begins the trace of a request, or goes on with the client's. `arrivedMs`: milliseconds since 1970. */
export function startTrace(asked: {
  readonly httpMethod: string;
  readonly traceparent: unknown;
  readonly arrivedMs: number;
}): RequestTrace {
  const { httpMethod, traceparent, arrivedMs } = asked;
  const tracer = trace.getTracer('context-assembly-memory');
  const named = readTraceparent(traceparent);
  const parent = named === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, named);
  const attributes = { 'http.request.method': httpMethod, 'http.route': '/mcp' };
  const options = { kind: SpanKind.SERVER, startTime: new Date(arrivedMs), attributes };
  const span = tracer.startSpan(`${httpMethod} /mcp`, options, parent);
  const inside: Context = trace.setSpan(parent, span);
  const { traceId } = span.spanContext();
  return {
    traceId: /^0+$/.test(traceId) ? null : traceId,
    within: (work) => context.with(inside, work),
    toolCall(tool) {
      const about = { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': tool };
      const inner = tracer.startSpan(`tools/call ${tool}`, { attributes: about }, inside);
      return ({ outcome, code, tokens }) => {
        if (tokens !== null) inner.setAttribute('memory.tokens', tokens);
        finish(inner, { outcome, isFault: outcome === 'failed', code });
      };
    },
    end({ status, method, outcome }) {
      span.setAttributes({ 'http.response.status_code': status, 'mcp.method.name': method });
      finish(span, { outcome, isFault: status >= 500, code: null });
    },
  };
}

function finish(
  span: Span,
  end: { readonly outcome: string; readonly isFault: boolean; readonly code: string | null },
): void {
  span.setAttribute('memory.outcome', end.outcome);
  if (end.code !== null) span.setAttribute('error.type', end.code);
  if (end.isFault) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
