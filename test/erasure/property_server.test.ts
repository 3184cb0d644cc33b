// Erasure as a property, on a PostgreSQL server.

import { openServerEngine } from '../../src/store/postgres/server.ts';
import { rawSession } from '../store/pglite_session.ts';
import { openStoreOnServer, testLimits } from '../store/server_session.ts';
import { describeOnServer } from '../store/server_tests.ts';
import { describeErasure } from './property.ts';

describeOnServer('PostgreSQL server', () =>
  describeErasure(async (made) => {
    const app = await openStoreOnServer(made);
    const limits = { limits: testLimits, log: () => {}, purpose: 'migrate' } as const;
    const administrator = await openServerEngine(app.database.administrator, limits);
    const store = {
      ...app,
      async close() {
        await Promise.all([app.close(), administrator.close()]);
      },
    };
    return { store, raw: rawSession(administrator) };
  }),
);
