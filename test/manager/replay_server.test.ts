// Replay on a PostgreSQL server.

import { describeOnServer } from '../store/server_tests.ts';
import { describeReplay } from './replay_cases.ts';
import { openServer } from './replay_world.ts';

describeOnServer('PostgreSQL server', () => describeReplay(openServer));
