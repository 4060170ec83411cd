import type pg from 'pg';
import type { Finding } from '../../src/integrity/finding.ts';
import { verifyRecords } from '../../src/integrity/verify.ts';

/** What `svcd verify` finds in the whole database. */
export async function findingsOf(pool: pg.Pool, repair = false): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  await verifyRecords({
    pool,
    repair,
    onFinding: (finding) => void findings.push(finding),
    onProgress: () => undefined,
  });
  return findings;
}
