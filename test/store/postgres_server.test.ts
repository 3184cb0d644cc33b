// The contract of the store port on a PostgreSQL server.

import { describeStore } from './contract.ts';
import { openOnServer } from './server_session.ts';
import { describeOnServer } from './server_tests.ts';

describeOnServer('PostgreSQL server', () => describeStore('store on a PostgreSQL server', openOnServer));
