// The real command, listening on a free port of this machine.
import { start, type Running } from '../command/run_program.ts';

/** A running `http` and its address. */
export interface Listening extends Running {
  readonly url: string;
}

/** Everybody on this machine is Jane of acme. */
export const withoutSignIn = {
  CONTEXT_AUTH: 'none',
  CONTEXT_PORT: '0',
  CONTEXT_TENANT_ID: 'acme',
  CONTEXT_USER_ID: 'jane',
  CONTEXT_ROLES: 'researcher',
} as const;

/** Starts `http --json` without sign-in and waits for its line; rejects when it ends instead. */
export async function listen(settings: Readonly<Record<string, string>>): Promise<Listening> {
  const running = start(['http', '--json'], { ...withoutSignIn, ...settings });
  const line = await new Promise<string>((resolve, reject) => {
    let text = '';
    running.child.stdout.on('data', (part: string) => {
      text += part;
      if (text.includes('\n')) resolve(text);
    });
    void running.ended.then(({ stderr }) => reject(new Error(`it did not listen: ${stderr}`)));
  });
  const { address } = JSON.parse(line) as { readonly address: string };
  return { ...running, url: address };
}
