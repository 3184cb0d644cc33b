// The process of a model, as the one that started it holds it: asked one input at a time, and ended when it hangs.

import { type ChildProcess, fork, type ForkOptions } from 'node:child_process';
import { extname, join } from 'node:path';
import type { Answer, FirstMessage, Input, InputAnswer } from './runnable_model.ts';

/** A model that could not be loaded or run; its own words are for the log. */
export class ModelFailure extends Error {
  constructor(words: string, cause?: unknown) {
    super(words, cause === undefined ? undefined : { cause });
    this.name = 'ModelFailure';
  }
}

/** A process that was started for a model. */
export interface ModelProcess {
  /** The next input, when the one before was answered. This process does not end before the answer has come. */
  ask(input: Input): void;
  /** While nothing is asked, this process may end; the other one ends with it. */
  rest(): void;
  /** Ends it; nothing more is heard of it. */
  close(): void;
}

/** Who hears of a process. */
export interface Listener {
  answered(answer: InputAnswer): void;
  /** Once, when it has ended by itself, is of no use, or was ended because it hung. */
  ended(failure: ModelFailure): void;
}

/** One input takes less than this, loading the model before the first one included; else something hangs. */
const longestInputMs = 120_000;

const processFile = join(import.meta.dirname, `model_process${extname(import.meta.filename)}`);

/** Starts a process that loads the model at once. */
export function startModelProcess(first: FirstMessage, listener: Listener): ModelProcess {
  const child = fork(processFile, [], forkOptions());
  let isOver = false;
  let watch: NodeJS.Timeout | undefined;
  const close = (): void => {
    isOver = true;
    clearTimeout(watch);
    child.kill('SIGKILL');
  };
  const fail = (words: string, cause?: unknown): void => {
    if (isOver) return;
    close();
    listener.ended(new ModelFailure(words, cause));
  };
  child.on('message', (answer: Answer) => {
    if (isOver) return;
    clearTimeout(watch);
    if ('lost' in answer) fail(answer.lost);
    else listener.answered(answer);
  });
  child.on('error', (error) => fail('the process of the model failed', error));
  child.on('exit', (code, signal) => fail(`the process of the model ended (${signal ?? code})`));
  const send = (message: FirstMessage | Input): void => {
    child.send(message, (error) => {
      if (error !== null) fail('the process of the model cannot be asked', error);
    });
  };
  send(first);
  return {
    ask(input) {
      hold(child);
      watch = setTimeout(() => fail('the model has not answered in time'), longestInputMs);
      send(input);
    },
    rest() {
      child.unref();
      child.channel?.unref();
    },
    close,
  };
}

function hold(child: ChildProcess): void {
  child.ref();
  child.channel?.ref();
}

function forkOptions(): ForkOptions {
  return {
    execArgv: loaderOptions(process.execArgv),
    // Keys and addresses are nothing to it.
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:CONTEXT|DATABASE|DB)_/.test(name))),
    serialization: 'advanced',
    // What a library prints must not reach the protocol on stdout.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  };
}

/** What tells Node how to load this program's files; other options are this process's own. */
function loaderOptions(options: readonly string[]): string[] {
  return options.flatMap((option, place) => {
    if (/^--(?:import|require|loader|conditions)=/.test(option)) return [option];
    const before = options[place - 1] ?? '';
    return /^(?:--import|--require|-r|--loader)$/.test(before) ? [before, option] : [];
  });
}
