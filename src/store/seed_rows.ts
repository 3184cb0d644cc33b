// Seed files (design D7): one JSON file a tenant, validated row by row before anything is written.

import { z } from 'zod';
import { MemoryError } from '../model/errors.ts';
import { tenantId } from '../model/ids.ts';
import type { TenantId } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import type { MemoryLink, ProvenanceEdge } from '../model/memory.ts';
import { checkPolicyRow } from './policy_rows.ts';
import { checkRefs, checkRows } from './seed_checks.ts';
import type { PlacedRow } from './seed_checks.ts';
import { link, made, rowSections, sourceRef } from './seed_columns.ts';
import type { NewRow } from './written_rows.ts';

/** A seed file as rows, with what its rows came from and how they are linked. */
export interface ParsedSeed {
  readonly fileName: string;
  readonly tenantId: TenantId;
  readonly rows: readonly NewRow[];
  readonly provenance: readonly ProvenanceEdge[];
  readonly links: readonly MemoryLink[];
}

const sectionNames = [...Object.keys(rowSections), 'source_refs', 'links'];

function refuse(fileName: string, message: string, data: JsonObject = {}): never {
  throw new MemoryError('invalid_seed', `${fileName}: ${message}`, { file: fileName, ...data });
}

function parseSection<Row>(
  schema: z.ZodType<Row>,
  file: { readonly name: string; readonly json: Readonly<Record<string, unknown>> },
  section: string,
): readonly Row[] {
  const rows = file.json[section] ?? [];
  if (!Array.isArray(rows)) refuse(file.name, `"${section}" must be a list`, { section });
  return rows.map((row: unknown, index) => {
    const result = schema.safeParse(row);
    if (result.success) return result.data;
    const issue = result.error.issues[0];
    const path = issue?.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : (issue?.path ?? []);
    const field = path.map(String).join('.');
    const rowName = z.object({ id: z.string() }).safeParse(row).data?.id ?? null;
    const where = `${section}[${index}]${rowName === null ? '' : ` (${rowName})`}`;
    return refuse(file.name, `${where}${field === '' ? '' : `, field ${field}`}: ${issue?.message ?? 'is not valid'}`, {
      section,
      index,
      id: rowName,
      field,
    });
  });
}

/**
 * Reads a seed file. Throws `invalid_seed` naming the file, the section, the row's place and id, and the field;
 * `policy_invalid` likewise for a policy row.
 */
export function parseSeedFile(json: unknown, fileName: string): ParsedSeed {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) refuse(fileName, 'must hold a JSON object');
  const { tenant_id: tenant, ...sections } = json as Readonly<Record<string, unknown>>;
  const parsedTenant = made(tenantId).safeParse(tenant);
  if (!parsedTenant.success) {
    return refuse(fileName, `tenant_id: ${parsedTenant.error.issues[0]?.message ?? 'is not valid'}`, {
      field: 'tenant_id',
    });
  }
  const unknown = Object.keys(sections).find((name) => !sectionNames.includes(name));
  if (unknown !== undefined)
    refuse(fileName, `"${unknown}" is not one of ${sectionNames.join(', ')}`, { section: unknown });
  const file = { name: fileName, json: sections };
  const placed = Object.entries(rowSections).flatMap(([section, schema]) =>
    parseSection<NewRow>(schema as z.ZodType<NewRow>, file, section).map(
      (row, index): PlacedRow => ({
        file: fileName,
        section,
        index,
        row,
      }),
    ),
  );
  checkRows(placed);
  placed.forEach(checkPolicy);
  return {
    fileName,
    tenantId: parsedTenant.data,
    rows: placed.map(({ row }) => row),
    provenance: parseSection(sourceRef, file, 'source_refs'),
    links: parseSection(link, file, 'links'),
  };
}

/** A broken policy row stays a failure of the policy, told with its place in the file. */
function checkPolicy({ file, section, index, row }: PlacedRow): void {
  if (row.type !== 'guideline') return;
  try {
    checkPolicyRow(row);
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    const data = { file, section, index, id: row.id, ...error.data };
    throw new MemoryError(error.code, `${file}: ${section}[${index}] (${row.id}): ${error.message}`, data);
  }
}

/** Checks files that are seeded together: across them ids, keys, `superseded_by` and refs. Throws `invalid_seed`. */
export function checkSeedSet(seeds: readonly ParsedSeed[]): void {
  for (const tenant of new Set(seeds.map((seed) => seed.tenantId))) {
    const own = seeds.filter((seed) => seed.tenantId === tenant);
    const placed = own.flatMap(placedRows);
    checkRows(placed);
    checkRefs(placed, own);
  }
}

const sectionOf = {
  guideline: 'guidelines',
  persona: 'persona',
  toolbox: 'toolbox',
  entity: 'entities',
  workflow: 'workflows',
  summary: 'summaries',
  conversation: 'turns',
  document: 'documents',
} as const satisfies Record<NewRow['type'], keyof typeof rowSections>;

/** Rows keep the order of their section, so their place in it can be counted. */
function placedRows({ fileName, rows }: ParsedSeed): readonly PlacedRow[] {
  const counts = new Map<string, number>();
  return rows.map((row) => {
    const section = sectionOf[row.type];
    const index = counts.get(section) ?? 0;
    counts.set(section, index + 1);
    return { file: fileName, section, index, row };
  });
}
