// Isolation over HTTP as a property, on the embedded engine.

import { openFixture } from '../fixture.ts';
import { describeIsolationOverHttp } from './property_http.ts';

describeIsolationOverHttp(() => openFixture({ seeds: [] }), 2_000);
