// doctor, on a database server: whether each login gets in and is what it should be; then all that is inside.

import type { DatabaseServer } from '../database_server.ts';
import type { Check } from './doctor_finding.ts';
import type { Context, Parts, StorePurpose } from './command.ts';
import { checked, storeChecks } from './doctor_store.ts';

/** Everything that is known of a server. Nothing is looked at inside when the serving login does not get in. */
export async function serverChecks(context: Context, server: DatabaseServer): Promise<readonly Check[]> {
  const parts = context.open();
  const serving = await checked(context, 'server', () => loginCheck(parts, 'serve', 'server'));
  const others = [
    ...(!server.logins.operate.isSet
      ? [
          {
            name: 'operator login',
            state: 'note' as const,
            says: `${server.logins.operate.variable} is not set: init, apply and seed cannot run here, and rows are not counted.`,
          },
        ]
      : await checked(context, 'operator login', () => loginCheck(parts, 'operate', 'operator login'))),
    ...(!server.logins.migrate.isSet
      ? []
      : [
          ...(await checked(context, 'owner login', () => loginCheck(parts, 'migrate', 'owner login'))),
          ...(await checked(context, 'prerequisites', () => parts.prerequisites())),
        ]),
  ];
  const inside = serving.some(({ state }) => state === 'wrong') ? [] : await storeChecks(context);
  return [...serving, ...others, ...inside];
}

async function loginCheck(parts: Parts, purpose: StorePurpose, name: string): Promise<readonly Check[]> {
  const { product, login, database, version } = await parts.account(purpose);
  return [{ name, state: 'ok', says: `${product} ${version}, database ${database}, login ${login}` }];
}
