// Isolation as a property, on the embedded engine.

import { openFixture } from '../fixture.ts';
import { describeIsolation } from './property.ts';

describeIsolation(() => openFixture({ seeds: [] }));
