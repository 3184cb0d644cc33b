// What a call tells the store about its bounds.

import type { CallOptions } from '../store/store.ts';
import type { Call } from './manager.ts';

/** The store's options of a call. */
export function callOptions(call: Pick<Call, 'requestId' | 'signal' | 'deadlineMs'>): CallOptions {
  return {
    requestId: call.requestId,
    ...(call.signal === undefined ? {} : { signal: call.signal }),
    ...(call.deadlineMs === undefined ? {} : { deadlineMs: call.deadlineMs }),
  };
}
