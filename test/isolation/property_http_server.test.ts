// Isolation over HTTP as a property, on a PostgreSQL server.

import { openFixture } from '../fixture.ts';
import { openStoreOnServer } from '../store/server_session.ts';
import { describeOnServer } from '../store/server_tests.ts';
import { describeIsolationOverHttp } from './property_http.ts';

describeOnServer('PostgreSQL server', () =>
  describeIsolationOverHttp(() => openFixture({ seeds: [], openStore: openStoreOnServer }), 400),
);
