// Replay on the embedded engine.

import { describeReplay } from './replay_cases.ts';
import { openEmbedded } from './replay_world.ts';

describeReplay(openEmbedded);
