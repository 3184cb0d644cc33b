// unlock: for a lock that no machine can judge; it asks a person, and never takes a live process's lock unasked.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
