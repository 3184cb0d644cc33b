// Makes the built program executable, so that the package's command starts it without naming node.
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
for (const path of Object.values(bin)) if (existsSync(join(root, path))) chmodSync(join(root, path), 0o755);
