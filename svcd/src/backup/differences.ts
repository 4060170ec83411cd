import { counted } from '@svc/service/config/plural';
import { FOR_COMMANDS } from '@svc/service/database/pool';
import { verifyRecords } from '@svc/service/integrity/verify';
import { withPool } from '../pool.ts';

const CONNECTIONS = 4;

/**
 * Runs `svcd verify` on a copy of a database that nobody else uses. Returns what it found: `2 differences between records
 * and what is derived from them`. Undefined if it found nothing.
 */
export async function differencesIn(url: string, name: string): Promise<string | undefined> {
  let findings = 0;
  await withPool({ url, max: CONNECTIONS, name, ...FOR_COMMANDS }, (pool) =>
    verifyRecords({
      pool,
      repair: false,
      onFinding: () => void findings++,
      onProgress: () => undefined,
    }),
  );
  if (findings === 0) return undefined;
  return `${counted(findings, 'difference', 'differences')} between records and what is derived from them`;
}
