// What a host can read (design T7): guidelines, persona, and the caller's own manifests and windows.

import type {
  CompleteResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from '@modelcontextprotocol/server';
import type { Call, MemoryManager } from '../manager/manager.ts';
import { MemoryError } from '../model/errors.ts';
import { rowId, runId } from '../model/ids.ts';

type StoredManifest = Awaited<ReturnType<MemoryManager['manifest']>>;

const guidelinesUri = 'memory://guidelines';
const personaUri = 'memory://persona';
const manifestsUri = 'memory://manifests/';
const windowsUri = 'memory://windows/';

const listedManifests = 20;
const completedManifests = 100;
const markdown = 'text/markdown';
const json = 'application/json';

const fixedResources = [
  {
    uri: guidelinesUri,
    name: 'guidelines',
    title: 'Guidelines',
    description: 'The rules that stand at the head of every window of this caller.',
    mimeType: markdown,
  },
  {
    uri: personaUri,
    name: 'persona',
    title: 'Persona',
    description: 'What is known of this user and agent, as every window says it.',
    mimeType: markdown,
  },
];

/** The addresses with a variable; each has completion. */
export const resourceTemplates: ListResourceTemplatesResult['resourceTemplates'] = [
  {
    uriTemplate: `${manifestsUri}{id}`,
    name: 'manifest',
    title: 'Manifest',
    description: 'What one window or tool result held, what was left out, and by which rule.',
    mimeType: json,
  },
  {
    uriTemplate: `${windowsUri}{run}`,
    name: 'window',
    title: 'Window',
    description: 'The manifests and complete requests of one run, by round.',
    mimeType: json,
  },
];

/** Guidelines, persona and the newest manifests of the caller. */
export async function listResources(manager: MemoryManager, call: Call): Promise<ListResourcesResult> {
  const recent = await manager.recentManifests(call, listedManifests);
  const manifests = recent.map(({ manifest, createdAt }) => ({
    uri: `${manifestsUri}${manifest.manifest_id}`,
    name: `manifest ${manifest.manifest_id}`,
    title: `Manifest of ${createdAt.slice(0, 19)}Z`,
    description: `${manifest.kind === 'window' ? 'Window' : 'Tool result'} of run ${manifest.run_id}, round ${manifest.round}.`,
    mimeType: json,
  }));
  return { resources: [...fixedResources, ...manifests] };
}

/** The contents of an address. Throws `not_found`, the same for what is not there and for what is another's. */
export async function readResource(manager: MemoryManager, call: Call, uri: string): Promise<ReadResourceResult> {
  if (uri === guidelinesUri) return contents(uri, markdown, await manager.guidelines(call));
  if (uri === personaUri) return contents(uri, markdown, await manager.persona(call));
  if (uri.startsWith(manifestsUri)) {
    const id = idAfter(uri, manifestsUri, rowId);
    const { manifest } = await manager.manifest(call, id).catch(asResource);
    return contents(uri, json, JSON.stringify(manifest));
  }
  if (uri.startsWith(windowsUri)) {
    const id = idAfter(uri, windowsUri, runId);
    const rounds = await manager.run(call, id).catch(asResource);
    return contents(uri, json, JSON.stringify(windowJson(rounds)));
  }
  throw resourceNotFound();
}

/** Ids of the caller's recent manifests or runs that begin with what was typed. */
export async function completeResource(
  manager: MemoryManager,
  call: Call,
  wanted: { readonly uriTemplate: string; readonly variable: string; readonly typed: string },
): Promise<CompleteResult> {
  const recent = await manager.recentManifests(call, completedManifests);
  return completion(idsFor(`${wanted.uriTemplate} ${wanted.variable}`, recent), wanted.typed);
}

function idsFor(place: string, recent: readonly StoredManifest[]): readonly string[] {
  switch (place) {
    case `${manifestsUri}{id} id`:
      return recent.map(({ manifest }) => manifest.manifest_id);
    case `${windowsUri}{run} run`:
      return recent.map(({ manifest }) => manifest.run_id);
    default:
      throw new MemoryError('invalid_argument', 'There is no such resource template or variable.', { field: 'ref' });
  }
}

/** At most a hundred different values that begin with the text. */
export function completion(values: readonly string[], typed: string): CompleteResult {
  const matching = [...new Set(values)].filter((value) => value.startsWith(typed));
  const shown = matching.slice(0, 100);
  return { completion: { values: shown, total: matching.length, hasMore: matching.length > shown.length } };
}

/** What is said of any address that does not lead to something of the caller's: always the same. */
function resourceNotFound(cause?: unknown): MemoryError {
  return new MemoryError('not_found', 'There is no such resource.', {}, cause);
}

function asResource(error: unknown): never {
  throw error instanceof MemoryError && error.code === 'not_found' ? resourceNotFound(error) : error;
}

function idAfter<Id>(uri: string, prefix: string, makeId: (text: string) => Id): Id {
  try {
    return makeId(decodeURIComponent(uri.slice(prefix.length)));
  } catch {
    throw resourceNotFound();
  }
}

function windowJson(rounds: readonly StoredManifest[]) {
  return rounds.map(({ manifest, request, createdAt }) => ({ created_at: createdAt, manifest, request }));
}

function contents(uri: string, mimeType: string, text: string): ReadResourceResult {
  return { contents: [{ uri, mimeType, text }] };
}
