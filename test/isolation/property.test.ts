// Isolation as a property, on the embedded engine: searches are answered from memory, as soon as anybody searches.

import { openEmbeddedStore } from '../../src/store/postgres/pglite.ts';
import { openFixture } from '../fixture.ts';
import { describeIsolation } from './property.ts';

const options: Parameters<typeof openFixture>[0] = {
  seeds: [],
  openStore: (made) => openEmbeddedStore({ directory: ':memory:', migrate: true, residents: 'eager', ...made }),
};

describeIsolation(() => openFixture(options));
