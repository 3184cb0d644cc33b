// A model in a process of its own, seen from the program's: loaded when first asked, one input at a time, questions first.

import { type ChildProcess, fork } from 'node:child_process';
import { extname, join } from 'node:path';
import { abortedBy } from '../model/errors.ts';
import type { Answer, FirstMessage, Input, RunnableModel, Task } from './runnable_model.ts';

/** How a call is run. */
export interface RunOptions {
  /** True: somebody waits for it, so it goes before those that are not. */
  readonly isUrgent: boolean;
  readonly signal?: AbortSignal;
}

/** Runs inputs through one model. */
export interface Runner {
  /** The numbers that the model gives for each input, in order. Rejects with {@link ModelFailure}, and when the signal aborts. */
  run(inputs: readonly Input[], options: RunOptions): Promise<readonly Float32Array[]>;
  /** Ends the process, and with it what waits; a later call would start a new one. */
  close(): void;
}

/** A model that could not be loaded or run; its own words are for the log. */
class ModelFailure extends Error {
  constructor(words: string, cause?: unknown) {
    super(words, cause === undefined ? undefined : { cause });
    this.name = 'ModelFailure';
  }
}

interface Waiting {
  readonly inputs: readonly Input[];
  readonly found: Float32Array[];
  readonly isUrgent: boolean;
  resolve(found: readonly Float32Array[]): void;
  reject(error: Error): void;
}

/** One input takes less than this, loading the model before the first one included; else something hangs. */
const longestInputMs = 120_000;

const processFile = join(import.meta.dirname, `model_process${extname(import.meta.filename)}`);

/** A runner that starts its process with the first call, and a new one after it has ended by itself. */
export function createRunner(model: RunnableModel, task: Task): Runner {
  const line: Waiting[] = [];
  let child: ChildProcess | null = null;
  /** The call whose input is with the model; it may have been given up. */
  let running: Waiting | null = null;
  let watch: NodeJS.Timeout | undefined;
  const end = (failure: ModelFailure): void => {
    clearTimeout(watch);
    child = null;
    running = null;
    for (const waiting of line.splice(0)) waiting.reject(failure);
  };
  const start = (): ChildProcess => {
    const made = startProcess({ model, task });
    made.on('message', (answer: Answer) => {
      // What an ended process still had to say is about calls that were told already.
      if (child !== made) return;
      if ('lost' in answer) {
        end(new ModelFailure(answer.lost));
        made.kill();
        return;
      }
      take(answer);
      next();
    });
    made.on('error', (error) => {
      if (child === made) end(new ModelFailure('the process of the model failed', error));
    });
    made.on('exit', (code, signal) => {
      if (child === made) end(new ModelFailure(`the process of the model ended (${signal ?? code})`));
    });
    return made;
  };
  const take = (answer: Exclude<Answer, { lost: string }>): void => {
    const own = running;
    clearTimeout(watch);
    running = null;
    if (own === null || !line.includes(own)) return;
    if ('failure' in answer) leave(own).reject(new ModelFailure(answer.failure));
    else if (own.found.push(answer.numbers) === own.inputs.length) leave(own).resolve(own.found);
  };
  const leave = (waiting: Waiting): Waiting => {
    line.splice(line.indexOf(waiting), 1);
    return waiting;
  };
  const next = (): void => {
    if (running !== null) return;
    running = line.find(({ isUrgent }) => isUrgent) ?? line[0] ?? null;
    const input = running?.inputs[running.found.length];
    if (input === undefined) {
      // While it is idle, this process may end; the other one ends with it.
      child?.unref();
      child?.channel?.unref();
      return;
    }
    child ??= start();
    child.ref();
    child.channel?.ref();
    const asked = child;
    watch = setTimeout(() => asked.kill('SIGKILL'), longestInputMs);
    asked.send(input, (error) => {
      if (error !== null) asked.kill();
    });
  };
  return {
    run: async (inputs, { isUrgent, signal }) => {
      if (signal?.aborted === true) throw abortedBy(signal);
      if (inputs.length === 0) return [];
      const settled = new AbortController();
      try {
        return await new Promise<readonly Float32Array[]>((resolve, reject) => {
          const waiting: Waiting = { inputs, found: [], isUrgent, resolve, reject };
          // What is with the model ends by itself; nothing more of this call goes there.
          const stop = () => signal !== undefined && leave(waiting).reject(abortedBy(signal));
          signal?.addEventListener('abort', stop, { once: true, signal: settled.signal });
          line.push(waiting);
          next();
        });
      } finally {
        settled.abort();
      }
    },
    close() {
      const ended = child;
      end(new ModelFailure('the process of the model was ended'));
      ended?.kill();
    },
  };
}

function startProcess(first: FirstMessage): ChildProcess {
  const child = fork(processFile, [], {
    execArgv: loaderOptions(process.execArgv),
    // Keys and addresses are nothing to it.
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:CONTEXT|DATABASE|DB)_/.test(name))),
    serialization: 'advanced',
    // What a library prints must not reach the protocol on stdout.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.send(first);
  return child;
}

/** What tells Node how to load this program's files; other options are this process's own. */
function loaderOptions(options: readonly string[]): string[] {
  return options.flatMap((option, place) => {
    if (/^--(?:import|require|loader|conditions)=/.test(option)) return [option];
    const before = options[place - 1] ?? '';
    return /^(?:--import|--require|-r|--loader)$/.test(before) ? [before, option] : [];
  });
}
