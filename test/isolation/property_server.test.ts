// Isolation as a property, on a PostgreSQL server.

import { openFixture } from '../fixture.ts';
import { openStoreOnServer } from '../store/server_session.ts';
import { describeOnServer } from '../store/server_tests.ts';
import { describeIsolation } from './property.ts';

describeOnServer('PostgreSQL server', () =>
  describeIsolation(() => openFixture({ seeds: [], openStore: openStoreOnServer })),
);
