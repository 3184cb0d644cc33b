// Lets a thread that a test starts load TypeScript: vitest does so in its own threads alone.
import { register } from 'tsx/esm/api';

register();
