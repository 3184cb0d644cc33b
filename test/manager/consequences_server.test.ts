// Consequences and traces on a PostgreSQL server.

import { describeOnServer } from '../store/server_tests.ts';
import { describeConsequences } from './consequences_cases.ts';
import { openServer } from './replay_world.ts';

describeOnServer('PostgreSQL server', () => describeConsequences(openServer));
