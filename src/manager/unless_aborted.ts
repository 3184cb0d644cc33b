// A model that does not listen to a signal must not hold a call.

/** The work's own outcome, or the signal's reason as soon as it aborts; what comes later is dropped. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const finished = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true, signal: finished.signal });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    finished.abort();
  }
}
