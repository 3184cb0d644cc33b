// Consequences and traces on the embedded engine.

import { describeConsequences } from './consequences_cases.ts';
import { openEmbedded } from './replay_world.ts';

describeConsequences(openEmbedded);
