// What the log learns of a message that could not be served: its kind, never what a person wrote in it.

const longest = 120;

/** What is wrong with a message, without the message. */
export function wireProblem(error: Error): string {
  return `${error.name}: ${error.message.split(/["'{[\n]/, 1)[0]?.slice(0, longest) ?? ''}`;
}
