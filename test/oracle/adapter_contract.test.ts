// The contract of the store port over Oracle's adapter, with the real driver and a scripted server that answers from the
// embedded engine. It proves what the adapter makes of calls, binds and rows; the SQL that it sends is not run, and only
// a real database says whether it is right (npm run test:oracle).

import { describeStore } from '../store/contract.ts';
import { testEmbedder } from '../store/harness.ts';
import { rawSession } from '../store/pglite_session.ts';
import { openAdapterOnEmbedded } from './stub/embedded_store.ts';

describeStore('adapter of Oracle, answered by the embedded engine (its SQL is not run)', async () => {
  const { store, engine, problems } = await openAdapterOnEmbedded(testEmbedder);
  return { store, raw: rawSession(engine), problems, toldWithinMs: 200 };
});
