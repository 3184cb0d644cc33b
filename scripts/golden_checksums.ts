// Guards the golden files: their checksums are rewritten only when the renderer or the selection has a new version.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';

const goldenFolder = 'test/golden';
const checksumName = 'CHECKSUMS.json';
const versionPath = 'src/assembly/version.ts';

/** What CHECKSUMS.json holds: the two versions and the SHA-256 (hex) of each golden file by its name, sorted. */
export type Checksums = {
  readonly selection_version: string;
  readonly renderer_version: string;
  readonly files: Readonly<Record<string, string>>;
};

function goldenNames(root: string, folder = ''): string[] {
  const path = join(root, goldenFolder, folder);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(path, { withFileTypes: true })
    .flatMap((entry) => {
      const name = posix.join(folder, entry.name);
      return entry.isDirectory() ? goldenNames(root, name) : [name];
    })
    .filter((name) => name !== checksumName)
    .toSorted();
}

function versionIn(text: string, name: string): string {
  const found = new RegExp(`export const ${name}(?:\\s*:[^=]+)?\\s*=\\s*['"]([^'"]+)['"]`).exec(text)?.[1];
  if (found === undefined) throw new Error(`${versionPath} exports no string constant ${name}`);
  return found;
}

/** The checksums of the golden files as they are, with the versions as they are. Throws when there is no version. */
export function computeChecksums(root: string): Checksums {
  const version = existsSync(join(root, versionPath)) ? readFileSync(join(root, versionPath), 'utf8') : '';
  const files = goldenNames(root).map((name): [string, string] => {
    const bytes = readFileSync(join(root, goldenFolder, name));
    return [name, createHash('sha256').update(bytes).digest('hex')];
  });
  return {
    selection_version: versionIn(version, 'selectionVersion'),
    renderer_version: versionIn(version, 'rendererVersion'),
    files: Object.fromEntries(files),
  };
}

/** The recorded checksums, or undefined when there are none yet. */
export function readChecksums(root: string): Checksums | undefined {
  const path = join(root, goldenFolder, checksumName);
  if (!existsSync(path)) return undefined;
  const recorded: Checksums = JSON.parse(readFileSync(path, 'utf8'));
  return recorded;
}

/** Where the golden files and versions differ from what is recorded, one sentence each; empty when they agree. */
export function goldenDifferences(root: string): string[] {
  if (goldenNames(root).length === 0) return ['no golden files'];
  const recorded = readChecksums(root);
  if (recorded === undefined) return [`${goldenFolder}/${checksumName} is missing`];
  const present = computeChecksums(root);
  const names = [...new Set([...Object.keys(recorded.files), ...Object.keys(present.files)])].toSorted();
  return [
    ...names.flatMap((name) => {
      if (present.files[name] === recorded.files[name]) return [];
      if (present.files[name] === undefined) return [`${goldenFolder}/${name}: recorded, but gone`];
      return [`${goldenFolder}/${name}: ${recorded.files[name] === undefined ? 'not recorded' : 'changed'}`];
    }),
    ...(['selection_version', 'renderer_version'] as const).flatMap((name) =>
      present[name] === recorded[name] ? [] : [`${name} is ${present[name]}, recorded ${recorded[name]}`],
    ),
  ];
}

/**
 * Records the checksums and returns what was done. New files may be added at any time; a file that changed or went
 * is recorded only with a new renderer or selection version. Throws, writing nothing, when that is missing.
 */
export function recordChecksums(root: string): string {
  if (goldenNames(root).length === 0) throw new Error('no golden files');
  const recorded = readChecksums(root);
  const present = computeChecksums(root);
  const path = join(root, goldenFolder, checksumName);
  if (recorded !== undefined) {
    const changed = Object.keys(recorded.files).filter((name) => present.files[name] !== recorded.files[name]);
    const sameVersions =
      present.selection_version === recorded.selection_version &&
      present.renderer_version === recorded.renderer_version;
    if (changed.length > 0 && sameVersions)
      throw new Error(
        `refused: ${changed.join(', ')} changed, but ${versionPath} still says selection ${present.selection_version} and renderer ${present.renderer_version}`,
      );
  }
  writeFileSync(path, `${JSON.stringify(present, null, 2)}\n`);
  return `${recorded === undefined ? 'created' : 'wrote'} ${goldenFolder}/${checksumName}: ${Object.keys(present.files).length} files`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    console.log(recordChecksums(join(import.meta.dirname, '..')));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
