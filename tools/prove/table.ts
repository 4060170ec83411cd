/** A proof: tests that run for as long as one likes, on every PostgreSQL that is installed. */
export interface Proof {
  readonly name: string;
  /** What it shows, for the help. */
  readonly shows: string;
  readonly file: string;
  /** The only project of vitest.config.ts that it runs in. Default: each one with a database. */
  readonly project?: string;
  /** How long it runs, on each PostgreSQL, unless `--seconds` says otherwise. */
  readonly seconds: number;
}

/** Every proof of `npm run prove`. Files that end in `.proof.ts` are not run by the suite, others for a short time. */
export const PROOFS: readonly Proof[] = [
  {
    name: 'history',
    shows: 'clients on two nodes under faults: what was acknowledged is there, and nothing else',
    file: 'service/test/history/history.proof.ts',
    seconds: 40,
  },
  {
    name: 'planted',
    shows: 'the history checker finds each fault that is planted in the service',
    file: 'service/test/history/planted.proof.ts',
    project: 'embedded 18',
    seconds: 8,
  },
  {
    name: 'parsers',
    shows:
      'no input makes a parser of files, bodies, headers or cursors fail, or work more than its size says',
    file: 'service/test/property/parsers.test.ts',
    project: 'embedded 18',
    seconds: 30,
  },
  {
    name: 'fuzz',
    shows: 'at least 20,000 requests made from the OpenAPI document are answered as it says',
    file: 'service/test/fuzz/fuzz.proof.ts',
    project: 'embedded 18',
    seconds: 60,
  },
  {
    name: 'upgrade',
    shows:
      'release 0.1.0, from the history, makes data directories that this program upgrades; 25,000 audits a second of it',
    file: 'service/test/upgrade/upgrade.proof.ts',
    project: 'embedded 18',
    seconds: 40,
  },
  {
    name: 'old-node',
    shows:
      'release 0.1.0, from the history, beside new nodes works or refuses, on PostgreSQL 15 where that is installed',
    file: 'service/test/upgrade/old-node.proof.ts',
    project: 'embedded 18',
    seconds: 1,
  },
];
