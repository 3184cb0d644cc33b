// search_memory over stdio as memory grows, beside the substring search of @modelcontextprotocol/server-memory and, with
// --peers, mem0's open-source library: milliseconds of a call, and how many of 50 questions are answered.
// Run: npm run build && npm run bench:search [-- --sizes 1000,10000,100000 --rounds 2 --peers --keep FOLDER --json]

import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Contender, openMem0, openProduct, openServerMemory } from './search_contenders.ts';
import { searchCorpus } from './search_corpus.ts';
import { fillDirectory } from './search_fill.ts';

const root = join(import.meta.dirname, '..');
const program = join(root, 'dist/main.js');
const tableFolder = join(root, 'models', 'potion-base-8m');

/** How often the questions are asked that nobody is measured by. */
const warmUpRounds = 3;

/** Peers that hold everything in memory and take it in one by one are asked up to this size. */
const mostPassagesOfMem0 = 10_000;

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000' },
    rounds: { type: 'string', default: '2' },
    peers: { type: 'boolean', default: false },
    keep: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const corpus = searchCorpus(tableFolder);

interface Line {
  readonly passages: number;
  readonly server: string;
  readonly p50_ms: number;
  readonly p95_ms: number;
  /** Processor time of a call, which a busy machine changes less; null where the system does not say. */
  readonly cpu_ms: number | null;
  readonly answered_at_5: number;
  readonly questions: number;
}

/** Processor time that these processes have taken, in milliseconds: the system counts in hundredths of a second. */
function cpuOf(processes: readonly number[]): number {
  if (process.platform !== 'linux') return Number.NaN;
  const ticks = processes.map((pid) => {
    const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    return Number(fields.split(' ')[11]) + Number(fields.split(' ')[12]);
  });
  return ticks.reduce((sum, own) => sum + own, 0) * 10;
}

/** Asks one question after the other; an answer counts when its sentence stands in one of the first five texts. */
async function measure(contender: Contender, passages: number): Promise<Line> {
  const { questions, warmUp } = corpus;
  const samples: number[] = [];
  let answered = 0;
  let cpuMs = Number.NaN;
  try {
    // What is compiled, planned and read first is another benchmark's affair.
    for (let round = 0; round < warmUpRounds; round += 1) {
      for (const { question } of warmUp) await contender.search(question);
    }
    const cpuBefore = cpuOf(contender.processes);
    for (let round = 0; round < Number(options.rounds); round += 1) {
      for (const { question, answer } of questions) {
        const started = performance.now();
        const texts = await contender.search(question);
        samples.push(performance.now() - started);
        if (round === 0 && texts.slice(0, 5).some((text) => text.includes(answer))) answered += 1;
      }
    }
    cpuMs = cpuOf(contender.processes) - cpuBefore;
  } finally {
    await contender.close();
  }
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (part: number) =>
    Number((sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0).toFixed(1));
  return {
    passages,
    server: contender.name,
    p50_ms: at(0.5),
    p95_ms: at(0.95),
    cpu_ms: Number.isNaN(cpuMs) ? null : Number((cpuMs / samples.length).toFixed(1)),
    answered_at_5: answered,
    questions: questions.length,
  };
}

/** The product's figures at one size as multiples of another line's; null where either is missing. */
function ratio(
  lines: readonly Line[],
  part: { readonly ours: number; readonly theirs: number; readonly server: string },
) {
  const find = (passages: number, server: string) =>
    lines.find((line) => line.passages === passages && line.server === server);
  const [ours, theirs] = [find(part.ours, 'context-assembly-memory'), find(part.theirs, part.server)];
  if (ours === undefined || theirs === undefined) return null;
  const times = (mine: number | null, other: number | null) => Number(((mine ?? NaN) / (other ?? NaN)).toFixed(2));
  return {
    p50: times(ours.p50_ms, theirs.p50_ms),
    p95: times(ours.p95_ms, theirs.p95_ms),
    cpu: times(ours.cpu_ms, theirs.cpu_ms),
  };
}

const scratch = await mkdtemp(join(tmpdir(), 'bench-search-'));
const kept = options.keep ?? scratch;
const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'context-assembly-memory-bench', 'mem0');
try {
  const sizes = options.sizes.split(',').map(Number);
  const lines: Line[] = [];
  for (const passages of sizes) {
    const directory = join(kept, String(passages));
    await fillDirectory(directory, { passages, corpus, tableFolder, program });
    lines.push(await measure(await openProduct(program, directory), passages));
    lines.push(await measure(await openServerMemory(corpus, { passages, folder: scratch }), passages));
    if (options.peers && passages <= mostPassagesOfMem0) {
      lines.push(await measure(await openMem0({ passages, cache }), passages));
    }
  }
  const least = Math.min(...sizes);
  const report = {
    machine: `${cpus()[0]?.model ?? 'unknown'} × ${cpus().length}, Node ${process.version}`,
    calls: Number(options.rounds) * corpus.questions.length,
    lines,
    ours_to_server_memory: sizes.map((size) =>
      ratio(lines, { ours: size, theirs: size, server: '@modelcontextprotocol/server-memory' }),
    ),
    growth_from_smallest: sizes.map((size) =>
      ratio(lines, { ours: size, theirs: least, server: 'context-assembly-memory' }),
    ),
  };
  if (options.json) process.stdout.write(`${JSON.stringify(report)}\n`);
  else {
    console.log(`machine: ${report.machine}; ${report.calls} calls a line, one after the other`);
    console.table(lines);
    for (const [place, size] of sizes.entries()) {
      console.log(`${size} passages: ours / server-memory's`, report.ours_to_server_memory[place]);
      console.log(`${size} passages: ours / ours at ${least}`, report.growth_from_smallest[place]);
    }
  }
} finally {
  await rm(scratch, { recursive: true, force: true, maxRetries: 10 });
}
