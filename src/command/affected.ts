// affected: what used a version of a memory before it was corrected.

import type { Affected, AffectedUse, Corrected } from '../model/consequences.ts';
import type { JsonObject } from '../model/json.ts';
import type { RowScope } from '../model/scope.ts';
import { jsonOption } from './arguments.ts';
import type { Command, Context } from './command.ts';
import { exitCodes } from './exit_codes.ts';
import { plain } from './print.ts';
import { recordsOf, tenantOption } from './record_calls.ts';
import { printHeading, printTable, refText } from './window_view.ts';

/** The command. */
export const affected: Command = {
  synopsis: 'REF',
  details: [
    'REF is a citation id of your own windows, or type:id (with all versions that the row replaced) or type:id:version, ' +
      'as manifests name rows, e.g. entity:fact_12. Lists the windows, tool results and answers that used a version ' +
      'before it was corrected: as a current fact, as history or through the tail of the conversation, as evidence, as ' +
      'the correction in a note; of an answer, whether it cites the version or was given in a run that had it.',
    'With --json it prints { versions, corrected, uses }.',
  ],
  options: { ...tenantOption, ...jsonOption },
  positionals: { least: 1, most: 1 },
  through: 'owner',
  async run(context) {
    const records = await recordsOf(context);
    const found = await records.affected(context.arguments.positionals[0] ?? '');
    if (context.json) context.print.json(shape(found));
    else printAffected(context, found);
    return exitCodes.done;
  },
};

function shape({ versions, corrected, uses }: Affected): JsonObject {
  return {
    versions,
    corrected: corrected.map(({ version, state, at, by }) => ({
      version,
      state,
      at,
      by: by === null ? null : { ...by },
    })),
    uses: uses.map(({ kind, id, owner, at, entered, version, via }) => {
      const { userId, agentId, threadId } = owner;
      return { kind, id, at, entered, version, via, user_id: userId, agent_id: agentId, thread_id: threadId };
    }),
  };
}

function printAffected({ print }: Context, { versions, corrected, uses }: Affected): void {
  if (corrected.length === 0) {
    const all = versions.map(refText).join(', ');
    print.line(`Not corrected: ${plain(all)}`);
    return;
  }
  printHeading(print, `Corrected (${corrected.length})`);
  printTable(print, [['version'], ['what'], ['since'], ['by']], corrected.map(correctedRow));
  printHeading(print, `Used before (${uses.length})`);
  if (uses.length === 0) {
    print.line('  nothing');
    return;
  }
  printTable(
    print,
    [['what'], ['id'], ['when'], ['entered as'], ['version'], ['through'], ['whose']],
    uses.map((use) => useRow(use, (text) => print.paint('id', text))),
  );
}

function correctedRow({ version, state, at, by }: Corrected): readonly string[] {
  return [refText(version), state, at, by === null ? '' : `${by.type} ${by.id}`];
}

function useRow(use: AffectedUse, paintId: (text: string) => string): readonly string[] {
  const { kind, id, at, entered, version, via, owner } = use;
  return [kind, paintId(id), at, entered, refText(version), via === null ? '' : refText(via), plain(ownerText(owner))];
}

function ownerText({ userId, agentId, threadId }: RowScope): string {
  return [userId, agentId, threadId].filter((part) => part !== null).join(' / ');
}
