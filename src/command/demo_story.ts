// The story of the demo, read from seeds/story.json.

import { MemoryError } from '../model/errors.ts';
import type { LaunchPrincipal } from '../auth/make_scope.ts';
import { shippedSeed } from './shipped_files.ts';

/** Who asks what, and when. */
export interface Story {
  readonly scope: LaunchPrincipal;
  readonly evaluationTime: string;
  readonly question: string;
  readonly retentionQuestion: string;
  readonly lookup: { readonly subject: string; readonly predicate: string };
}

/** Reads the story. Throws `invalid_seed` when the file is not as it was shipped. */
export async function readStory(): Promise<Story> {
  const { json } = await shippedSeed('story');
  const scope = member(json, 'scope');
  const lookup = member(json, 'lookup');
  const roles = member(scope, 'roles');
  return {
    scope: {
      tenantId: text(scope, 'tenant_id'),
      userId: text(scope, 'user_id'),
      agentId: text(scope, 'agent_id'),
      threadId: text(scope, 'thread_id'),
      roles: Array.isArray(roles) ? roles.map(String) : [],
    },
    evaluationTime: text(json, 'evaluation_time'),
    question: text(json, 'question'),
    retentionQuestion: text(json, 'retention_question'),
    lookup: { subject: text(lookup, 'subject'), predicate: text(lookup, 'predicate') },
  };
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function text(value: unknown, name: string): string {
  const found = member(value, name);
  if (typeof found === 'string') return found;
  throw new MemoryError('invalid_seed', `The file story.json lacks ${name}.`, { file: 'story.json', field: name });
}
