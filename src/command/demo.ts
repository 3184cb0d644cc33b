// demo: Jane's question from the seeds to a provable window, then the agent's three calls, told as a story that is checked.

import { launchScope } from '../auth/make_scope.ts';
import type { Scope } from '../model/scope.ts';
import { instant } from '../model/time.ts';
import type { MemoryManager, WindowResult } from '../manager/manager.ts';
import { jsonOption } from './arguments.ts';
import type { Command, Context } from './command.ts';
import { runAgent } from './demo_agent.ts';
import type { DemoCall } from './demo_agent.ts';
import { factsOf } from './demo_facts.ts';
import type { Fact } from './demo_facts.ts';
import { readStory } from './demo_story.ts';
import type { Story } from './demo_story.ts';
import { printCalls, printClosing, printFacts, printOpening } from './demo_view.ts';
import { exitCodes } from './exit_codes.ts';
import { printMemoryBlock } from './memory_block.ts';
import { demoSeeds, shippedSeed } from './shipped_files.ts';
import { printAllocation, printExclusions, printMemories, printRecord } from './window_view.ts';

const listedExclusions = 14;

/** The command. */
export const demo: Command = {
  synopsis: '',
  details: [
    "Seeds two tenants in memory, assembles the window for Jane's question as of 2026-09-28, prints where the tokens " +
      'went, what stands in the window and what was left out, then lets an MCP client make three calls within the loop ' +
      'budget. It fails when the story does not come out true.',
  ],
  options: jsonOption,
  positionals: { least: 0, most: 0 },
  async run(context) {
    const story = await readStory();
    const scope = launchScope(story.scope);
    const manager = await seeded(context);
    const window = await assembled(context, { manager, scope, story });
    if (!context.json) printWindow(context, story, window);
    const calls = await runAgent(context, { manager, scope, story, window });
    const facts = factsOf(story, window, calls);
    const isTrue = facts.every(({ holds }) => holds);
    if (context.json) context.print.json(jsonOf({ story, window, calls, facts, isTrue }));
    else {
      printCalls(context.print, calls);
      printFacts(context.print, facts);
      if (isTrue) printClosing(context.print, scope, context.invocation);
    }
    return isTrue ? exitCodes.done : exitCodes.failed;
  },
};

async function seeded(context: Context): Promise<MemoryManager> {
  const parts = context.open({ inMemory: true });
  const files = await Promise.all(demoSeeds.map(async (name) => shippedSeed(name)));
  const operator = await parts.operator();
  await operator.seed(files, { requestId: context.requestId, signal: context.signal });
  return parts.manager();
}

async function assembled(
  context: Context,
  { manager, scope, story }: { readonly manager: MemoryManager; readonly scope: Scope; readonly story: Story },
): Promise<WindowResult> {
  return manager.assembleWindow(
    {
      scope,
      requestId: context.newRequestId(),
      client: { name: 'context-assembly-memory demo', version: context.version },
      signal: context.signal,
    },
    { question: story.question, intent: null, at: instant(story.evaluationTime), model: null },
  );
}

function printWindow({ print }: Context, story: Story, { request, manifest }: WindowResult): void {
  printOpening(print, story);
  printAllocation(print, manifest);
  printMemories(print, manifest);
  printMemoryBlock(print, request);
  printExclusions(print, manifest, listedExclusions);
  printRecord(print, manifest);
}

function jsonOf(told: {
  readonly story: Story;
  readonly window: WindowResult;
  readonly calls: readonly DemoCall[];
  readonly facts: readonly Fact[];
  readonly isTrue: boolean;
}): object {
  const { story, window, calls, facts, isTrue } = told;
  return { ok: isTrue, question: story.question, ...window.request, manifest: window.manifest, calls, facts };
}
