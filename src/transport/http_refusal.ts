// A request that never became a call: refused with a status and one sentence, in the shape of a JSON-RPC error.

/** The error's number where nothing more special fits. */
const serverError = -32_000;

/** What may be said beside the sentence. */
export interface RefusalDetail {
  readonly code?: number;
  readonly retryAfterSeconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer without a result. */
export function refusal(status: number, message: string, detail: RefusalDetail = {}): Response {
  const { code = serverError, retryAfterSeconds, headers = {} } = detail;
  const retry = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return Response.json(
    { jsonrpc: '2.0', error: { code, message }, id: null },
    { status, headers: { ...headers, ...retry } },
  );
}
