// The demo as a person reads it: what is asked, what the agent fetched, what was proved, what to try next.

import type { Scope } from '../model/scope.ts';
import type { DemoCall } from './demo_agent.ts';
import type { Fact } from './demo_facts.ts';
import type { Story } from './demo_story.ts';
import type { Print } from './print.ts';
import { plain } from './print.ts';
import { figure, wrapped } from './table.ts';
import { printHeading } from './window_view.ts';

/** Who asks what, and where the trap is. */
export function printOpening(print: Print, story: Story): void {
  const { tenantId, userId, agentId } = story.scope;
  print.line(
    print.paint(
      'heading',
      `${userId} of ${tenantId} asks ${agentId ?? 'her agent'}, on ${story.evaluationTime.slice(0, 10)}:`,
    ),
  );
  print.line();
  printWrapped(print, `“${story.question}”`, '  ');
  print.line();
  printWrapped(
    print,
    'She remembers a number that was corrected to 0.78 since. An old summary, an old answer and her own message still ' +
      'say 0.92; whoever only searches will repeat it. Here is the window that her agent gets instead.',
    '',
  );
}

/** The calls with their answers and what is left of the loop budget after each. */
export function printCalls(print: Print, calls: readonly DemoCall[]): void {
  printHeading(print, 'The agent goes on: an MCP client calls the tools in the same run');
  for (const [index, call] of calls.entries()) printCall(print, index + 1, call);
}

function printCall(print: Print, number: number, call: DemoCall): void {
  print.line();
  print.line(`  ${number}. ${print.paint('heading', call.tool)} ${plain(JSON.stringify(call.arguments))}`);
  print.line(`     ${print.paint('faint', call.why)}`);
  if (call.content === null) {
    printWrapped(print, `failed: ${call.problem ?? ''}`, '     ');
    return;
  }
  for (const { id, status, tier, content, annotations, provenance } of call.content.memories) {
    const from = `${provenance.title}, version ${provenance.version}, ${provenance.date.slice(0, 10)}`;
    print.line(
      `     ${print.paint('id', id)}  ${statusText(print, status)}, ${tier}  ${print.paint('faint', plain(from))}`,
    );
    for (const annotation of annotations) {
      const text = Object.values(annotation)
        .filter((value) => typeof value === 'string')
        .join(' ');
      printWrapped(print, `! ${text}`, '       ', (line) => print.paint('warning', line));
    }
    printWrapped(print, content, '       ');
  }
  for (const note of call.content.notes) printWrapped(print, note, '     ');
  const { tokens_left: tokens, rounds_left: rounds } = call.content.loop;
  print.line(
    print.paint(
      'faint',
      `     cost ${figure(call.cost)} tokens; left ${figure(tokens)} tokens, ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`,
    ),
  );
}

function statusText(print: Print, status: string): string {
  if (status === 'current') return print.paint('good', status);
  return status === 'historical' ? print.paint('warning', status) : status;
}

/** Each fact with a mark. */
export function printFacts(print: Print, facts: readonly Fact[]): void {
  printHeading(print, 'Checked against the manifest and the answers');
  for (const { says, holds } of facts) {
    print.line(`  ${holds ? print.paint('good', 'true ') : print.paint('bad', 'FALSE')}  ${says}`);
  }
}

/** What a person can do now. */
export function printClosing(print: Print, scope: Scope, program: string): void {
  printHeading(print, 'Try next');
  const jane =
    `CONTEXT_TENANT_ID=${scope.tenantId} CONTEXT_USER_ID=${scope.userId} CONTEXT_AGENT_ID=${scope.agentId ?? ''} ` +
    `CONTEXT_THREAD_ID=${scope.threadId}`;
  const lines = [
    ["keep the demo's memory on disk", `${program} seed`],
    ['ask it as Jane', `${jane} \\\n        ${program} assemble "How long does AgentCore keep raw session events?"`],
    ['fill a memory of your own', `${program} apply examples/apply_example.json`],
    ['see what is set up', `${program} doctor`],
    ['give it to a host', 'README.md, "Connect your host"'],
  ] as const;
  for (const [what, how] of lines) {
    print.line(`  ${what}`);
    print.line(`      ${print.paint('id', how)}`);
  }
}

function printWrapped(
  print: Print,
  text: string,
  indent: string,
  paint: (line: string) => string = (line) => line,
): void {
  for (const paragraph of plain(text).split('\n')) {
    for (const line of wrapped(paragraph, Math.max(40, print.columns - indent.length)))
      print.line(indent + paint(line));
  }
}
