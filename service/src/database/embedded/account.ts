import { readFileSync } from 'node:fs';
import { EmbeddedError } from './error.ts';

/** An unprivileged user of this machine. */
export type Account = { readonly name: string; readonly uid: number; readonly gid: number };

const PASSWD = '/etc/passwd';
const CANDIDATES = ['postgres', 'nobody'] as const;

/**
 * The user that the server has to run as, or undefined when it runs as the current one: PostgreSQL refuses
 * root, so as root it is `postgres`, else `nobody`.
 */
export function serverAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readAccounts();
  for (const name of CANDIDATES) {
    const account = accounts.get(name);
    if (account !== undefined && account.uid !== 0) return account;
  }
  throw new EmbeddedError(
    `PostgreSQL does not run as root, and ${PASSWD} has neither a user postgres nor a user nobody. ` +
      'Add one (useradd --system postgres), start this program as another user, or set SVC_DATABASE_URL.',
  );
}

/** The name of a user, or the number where it has none. */
export function accountName(uid: number): string {
  for (const account of readAccounts().values()) if (account.uid === uid) return account.name;
  return String(uid);
}

function readAccounts(): ReadonlyMap<string, Account> {
  const accounts = new Map<string, Account>();
  for (const line of readFileSync(PASSWD, 'utf8').split('\n')) {
    const [name = '', , uid, gid] = line.split(':');
    if (uid !== undefined && gid !== undefined)
      accounts.set(name, { name, uid: Number(uid), gid: Number(gid) });
  }
  return accounts;
}
