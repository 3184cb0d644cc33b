// Questions about what was recorded, alike for an end user and for the operator of a tenant (design R1, R3).

import { affected } from './affected.ts';
import { callOptions } from './call_options.ts';
import { guarded } from './guarded.ts';
import type { Call, OperatorCall, RecordMethods } from './manager.ts';
import type { ManagerParts } from './parts.ts';
import { replay } from './replay.ts';
import { trace } from './trace.ts';

/** The methods; whose records they speak of is in the call's scope. */
export function recordMethods(parts: ManagerParts): RecordMethods<Call | OperatorCall> {
  return {
    replay: (call, manifestId) => guarded(parts, call, () => replay(parts, call, manifestId)),
    manifestIds: (call, asked) =>
      guarded(parts, call, () =>
        parts.store.readPast(call.scope, callOptions(call), (records) => records.manifestIds(asked)),
      ),
    affected: (call, ref) => guarded(parts, call, () => affected(parts, call, ref)),
    trace: (call, asked) => guarded(parts, call, () => trace(parts, call, asked)),
  };
}
