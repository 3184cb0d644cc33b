// Exit codes: what a script may rely on. They are shown by --help and never change their meaning.

/** Exit codes by name. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  configuration: 3,
  store: 4,
  refused: 5,
} as const;

/** One of {@link exitCodes}; 130 and 143 stand for SIGINT and SIGTERM, as shells count them. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes] | 130 | 143;

/** What each code says, as --help lists them. */
export const exitCodeMeanings: readonly (readonly [ExitCode, string])[] = [
  [exitCodes.done, 'done'],
  [exitCodes.failed, 'failed, doctor or check found something wrong, or a replay came out otherwise'],
  [exitCodes.usage, 'the command line is wrong'],
  [exitCodes.configuration, 'a variable or the file of --env-file is wrong'],
  [exitCodes.store, 'the store cannot be used: held by another process, unreachable, or of another version'],
  [exitCodes.refused, 'what was given or asked for is refused, or a replay is not available; nothing was changed'],
  [130, 'interrupted (SIGINT); 143 for SIGTERM'],
];
