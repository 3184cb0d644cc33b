// The calls of a store that are one transaction each (design N1, N3): who enters, and what they get to work with. How a
// transaction is entered, kept and left is a matter of the dialect.

import { hkdfSync } from 'node:crypto';
import { z } from 'zod';
import { scn } from '../../model/ids.ts';
import type { Instant } from '../../model/time.ts';
import { instantOf } from '../rows.ts';
import type { Position, Store } from '../store.ts';
import type { StoreParts } from './entrance.ts';
import { createOperatorWriter } from './operator.ts';
import { createRecordReader } from './past.ts';
import { createReader } from './reader.ts';
import { removals } from './removals.ts';
import type { DatabaseRow, Session } from './session.ts';
import { countTenantRows, exportedRows } from './tenant_rows.ts';
import { createWriter } from './writer.ts';

type Calls = 'read' | 'write' | 'operate' | 'readPast' | 'inspect' | 'erase' | 'retain' | 'retainNext' | 'sealingKey';

/** The calls of a store over the transactions of a dialect. */
export function storeCalls(parts: StoreParts): Pick<Store, Calls> {
  const { run, mode, embedder, hasVectorIndex, residents } = parts;
  return {
    async read(scope, { evaluationTime, ...call }, use) {
      const result = await run({ as: 'read', scope }, call, (session, entered) =>
        use(
          createReader(session, scope, {
            position: positionOf(entered, mode, evaluationTime),
            hasVectorIndex,
            embedder,
            residents,
          }),
        ),
      );
      residents?.load();
      return result;
    },
    write: (scope, call, use) =>
      run({ as: 'write', scope }, call, (session) => use(createWriter(session, scope, embedder))),
    operate: (scope, call, use) =>
      run({ as: 'operate', scope }, call, (session) => use(createOperatorWriter(session, embedder))),
    readPast: (scope, call, use) => {
      const own = 'userId' in scope ? scope : null;
      return run(own === null ? { as: 'inspect', scope } : { as: 'read', scope: own }, call, (session, entered) =>
        use(createRecordReader(session, own, positionOf(entered, mode, null))),
      );
    },
    inspect: (scope, call, use) =>
      run({ as: 'inspect', scope }, call, (session, entered) =>
        use({
          position: positionOf(entered, mode, null),
          countRows: () => countTenantRows(session),
          tenantRows: () => exportedRows(session),
        }),
      ),
    ...removals(parts),
    sealingKey: () => run({ as: 'nobody' }, { requestId: 'sealing_key' }, sealingKey),
  };
}

const secretColumn = z.object({ secret: z.string().min(64) });

/** Derived, so that another use of the secret would have a key of its own. */
async function sealingKey(session: Session): Promise<Uint8Array> {
  const { secret } = secretColumn.parse(await session.one('sealing_secret'));
  return new Uint8Array(hkdfSync('sha256', secret, '', 'context-assembly-memory request state', 32));
}

const positionColumns = z.object({ incarnation: z.string(), scn: z.string(), now: z.string() });

function positionOf(row: DatabaseRow, mode: string, evaluationTime: Instant | null): Position {
  const columns = positionColumns.parse(row);
  return {
    mode,
    incarnation: columns.incarnation,
    scn: scn(columns.scn),
    evaluationTime: evaluationTime ?? instantOf(columns.now),
  };
}
