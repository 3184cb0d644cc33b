// check: the citations of an answer against what its window showed, sentence by sentence.

import { text } from 'node:stream/consumers';
import type { CheckedSentence, CheckReport, Problem } from '../check/report.ts';
import type { AnswerCheck, StoredFeedback } from '../manager/manager.ts';
import { MemoryError } from '../model/errors.ts';
import { feedbackVerdicts, type FeedbackVerdict } from '../model/event.ts';
import { rowId, type RowId } from '../model/ids.ts';
import { jsonOption, UsageError } from './arguments.ts';
import { launchCall } from './calls.ts';
import type { Command, Context } from './command.ts';
import { exitCodes } from './exit_codes.ts';
import type { Print } from './print.ts';
import { plain } from './print.ts';
import { reasonOf } from './shipped_files.ts';
import { cut } from './table.ts';
import { printHeading, printTable } from './window_view.ts';

const widestSentence = 60;

/** The command. */
export const checkAnswer: Command = {
  synopsis: 'MANIFEST [FILE]',
  details: [
    'Reads an answer from FILE or from stdin and looks up each number, date, name, identifier and comparison of it in the ' +
      'memories that it cites, as the window and the calls after it showed them. It asks no model. ' +
      'Ends with 1 when an id was never shown or a sentence is unsupported.',
    'With --json it prints { manifest_id, run_id, answer, report }, with --record also event_id; places are UTF-16 units. ' +
      'With --recorded it prints { feedback }.',
  ],
  options: {
    record: { help: 'keep the answer with its report' },
    verdict: { value: 'VERDICT', help: `what a person says of it, kept with it: ${feedbackVerdicts.join(' or ')}` },
    recorded: { help: 'show what was kept for the manifest, and read no answer' },
    ...jsonOption,
  },
  positionals: { least: 1, most: 2 },
  through: 'owner',
  async run(context) {
    const [id = '', file = '-'] = context.arguments.positionals;
    const manifestId = rowId(id);
    const verdict = verdictOf(context.arguments.text('verdict'));
    if (context.arguments.flag('recorded')) return printRecorded(context, manifestId);
    const call = launchCall(context);
    const answer = await readAnswer(context, file);
    const manager = await context.open().manager();
    const isKept = context.arguments.flag('record') || verdict !== null;
    const check = isKept
      ? await manager.recordFeedback(call, { manifestId, answer, verdict })
      : await manager.checkAnswer(call, { manifestId, answer });
    if (context.json) context.print.json(jsonOf(check, answer));
    else printCheck(context.print, check.report, answer);
    return check.report.ok ? exitCodes.done : exitCodes.failed;
  },
};

function verdictOf(given: string | null): FeedbackVerdict | null {
  if (given === null) return null;
  const found = feedbackVerdicts.find((verdict) => verdict === given);
  if (found === undefined) throw new UsageError(`The verdict must be ${feedbackVerdicts.join(' or ')}.`);
  return found;
}

async function readAnswer(context: Context, file: string): Promise<string> {
  if (file === '-') return text(context.stdin);
  try {
    return await context.readFile(file);
  } catch (error) {
    const message = `The file ${file} cannot be read: ${reasonOf(error)}.`;
    throw new MemoryError('invalid_argument', message, { file }, error);
  }
}

function jsonOf(check: AnswerCheck & { readonly eventId?: RowId }, answer: string): object {
  const { manifestId, runId, report, eventId } = check;
  return {
    manifest_id: manifestId,
    run_id: runId,
    ...(eventId === undefined ? {} : { event_id: eventId }),
    answer,
    report,
  };
}

const stylesOf = { supported: 'good', unsupported: 'bad', uncited: 'warning', no_claim: 'faint' } as const;

function printCheck(print: Print, report: CheckReport, answer: string): void {
  printHeading(print, `Sentences (${report.sentences.length})`);
  const { lineAt } = lineCounter(answer);
  printTable(
    print,
    [['line', 'right'], ['verdict'], ['cites'], ['sentence'], ['why']],
    report.sentences.map((sentence) => [
      String(lineAt(sentence.start)),
      print.paint(stylesOf[sentence.verdict], sentence.verdict),
      citesText(print, sentence),
      cut(plain(answer.slice(sentence.start, sentence.end).replace(/\s+/g, ' ')), widestSentence),
      sentence.problems.map(problemText).join('; '),
    ]),
  );
  const { counts } = report;
  print.line();
  print.line(
    `  supported ${counts.supported} · unsupported ${counts.unsupported} · uncited ${counts.uncited} · ` +
      `nothing to check ${counts.no_claim} · ids shown ${counts.present}, never shown ${counts.absent}`,
  );
}

/** Lines of a text by place, for places that only grow. */
function lineCounter(answer: string): { readonly lineAt: (place: number) => number } {
  let line = 1;
  let at = 0;
  return {
    lineAt(place) {
      for (let next = answer.indexOf('\n', at); next !== -1 && next < place; next = answer.indexOf('\n', at)) {
        line += 1;
        at = next + 1;
      }
      return line;
    },
  };
}

function citesText(print: Print, { citations }: CheckedSentence): string {
  const present = new Map(citations.map((citation) => [citation.id, citation.present]));
  return [...present].map(([id, isPresent]) => print.paint(isPresent ? 'id' : 'bad', id)).join(' ');
}

function problemText({ kind, text: words, current }: Problem): string {
  const said = cut(plain(words), 40);
  switch (kind) {
    case 'absent':
      return `${said} was never shown`;
    case 'missing':
      return `“${said}” is not in what is cited`;
    case 'stale':
      return `“${said}” was corrected${current === undefined ? '' : `, see ${current}`}`;
    case 'denied':
      return 'what is cited says the opposite';
    case 'misattributed':
      return `“${said}” belongs to another subject`;
    case 'comparison':
      return `nothing cited shows “${said}”`;
    default:
      throw kind satisfies never;
  }
}

async function printRecorded(context: Context, manifestId: RowId) {
  const { print, json } = context;
  const manager = await context.open().manager();
  const feedback = await manager.feedbackOn(launchCall(context), manifestId);
  if (json) print.json({ feedback: feedback.map(feedbackJson) });
  else if (feedback.length === 0) print.line('Nothing was recorded for this manifest.');
  else {
    printHeading(print, 'Recorded answers');
    printTable(
      print,
      [['recorded'], ['verdict'], ['check'], ['answer']],
      feedback.map(({ createdAt, verdict, report, answer }) => [
        createdAt,
        verdict ?? '',
        report.ok ? print.paint('good', 'ok') : print.paint('bad', 'not ok'),
        cut(plain(answer.replace(/\s+/g, ' ')), widestSentence),
      ]),
    );
  }
  return exitCodes.done;
}

function feedbackJson({ eventId, manifestId, answer, verdict, report, createdAt }: StoredFeedback): object {
  return { event_id: eventId, manifest_id: manifestId, answer, verdict, report, created_at: createdAt };
}
