// A model in a process of its own, seen from the program's: loaded when first asked, one input at a time, questions first.

import { abortedBy } from '../model/errors.ts';
import { ModelFailure, type ModelProcess, startModelProcess } from './start_process.ts';
import type { Input, InputAnswer, RunnableModel, Task } from './runnable_model.ts';

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

interface Waiting {
  readonly inputs: readonly Input[];
  readonly found: Float32Array[];
  readonly isUrgent: boolean;
  resolve(found: readonly Float32Array[]): void;
  reject(error: Error): void;
}

/** A runner that starts its process with the first call, and a new one after it has ended by itself. */
export function createRunner(model: RunnableModel, task: Task): Runner {
  const line: Waiting[] = [];
  let child: ModelProcess | null = null;
  /** The call whose input is with the model; it may have been given up. */
  let running: Waiting | null = null;
  const end = (failure: ModelFailure): void => {
    child = null;
    running = null;
    for (const waiting of line.splice(0)) waiting.reject(failure);
  };
  const leave = (waiting: Waiting): Waiting => {
    const place = line.indexOf(waiting);
    if (place !== -1) line.splice(place, 1);
    return waiting;
  };
  const take = (answer: InputAnswer): void => {
    const own = running;
    running = null;
    if (own === null || !line.includes(own)) return;
    if ('failure' in answer) leave(own).reject(new ModelFailure(answer.failure));
    else if (own.found.push(answer.numbers) === own.inputs.length) leave(own).resolve(own.found);
  };
  const next = (): void => {
    if (running !== null) return;
    running = line.find(({ isUrgent }) => isUrgent) ?? line[0] ?? null;
    const input = running?.inputs[running.found.length];
    if (input === undefined) {
      child?.rest();
      return;
    }
    child ??= startModelProcess({ model, task }, { answered, ended: end });
    child.ask(input);
  };
  const answered = (answer: InputAnswer): void => {
    take(answer);
    next();
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
      child?.close();
      end(new ModelFailure('the process of the model was ended'));
    },
  };
}
