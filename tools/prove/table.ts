/** A proof: tests that run for a chosen time. */
export interface Proof {
  readonly name: string;
  /** The statement that it proves, for the help. */
  readonly shows: string;
  readonly file: string;
  /** The only project of vitest.config.ts that it runs in. Default: each one with a database. */
  readonly project?: string;
  /** How long it runs, on each PostgreSQL, unless `--seconds` says otherwise. */
  readonly seconds: number;
  /** It runs only if it is named, because it takes too long for each change. */
  readonly onRequest?: true;
  /** No other such proof runs at the same time: it installs programs of Debian or Node.js if they are missing. */
  readonly installs?: true;
  /** No other proof runs at the same time: it measures a time. */
  readonly alone?: true;
}

/**
 * Every proof of `npm run prove`. Long ones come first, so that two at a time end together. The suite does not run
 * `.proof.ts` files, and runs the other files for a short time.
 */
export const PROOFS: readonly Proof[] = [
  {
    name: 'planted',
    shows:
      'the history checker finds each fault that the proof plants in the service: all faults if it is named, else four',
    file: 'service/test/history/planted.proof.ts',
    project: 'embedded 18*',
    seconds: 8,
  },
  {
    name: 'image',
    shows: 'the image serves as its user with a read-only root file system, and keeps its data',
    file: 'svcd/test/image/image.proof.ts',
    project: 'embedded 18*',
    seconds: 1,
    installs: true,
  },
  {
    name: 'install',
    shows: 'the packed service installs, serves and keeps its data on each Node.js that it supports',
    file: 'svcd/test/install.proof.ts',
    project: 'embedded 18*',
    seconds: 1,
    installs: true,
  },
  {
    name: 'fresh',
    shows: 'a Debian with only Node.js and npm installs the packed service and serves within a minute',
    file: 'svcd/test/image/fresh.proof.ts',
    project: 'embedded 18*',
    seconds: 1,
    installs: true,
    alone: true,
  },
  {
    name: 'history',
    shows:
      'with clients on two nodes under faults, the database has exactly the acknowledged records, and copies, streams and webhooks have every change',
    file: 'service/test/history/history.proof.ts',
    seconds: 20,
  },
  {
    name: 'upgrade',
    shows:
      'this program upgrades data directories of release 0.1.0, which have 25,000 audits per second of --seconds',
    file: 'service/test/upgrade/upgrade.proof.ts',
    project: 'embedded 18*',
    seconds: 20,
  },
  {
    name: 'upgrade-database',
    shows: 'an upgrade to another major version of PostgreSQL that is killed at any step loses nothing',
    file: 'packages/embedded-postgres/test/upgrade/kill.proof.ts',
    project: 'embedded 18*',
    seconds: 1,
  },
  {
    name: 'fuzz',
    shows:
      'the responses to at least 20,000 requests that are generated from the OpenAPI document conform to it',
    file: 'service/test/fuzz/fuzz.proof.ts',
    project: 'embedded 18*',
    seconds: 40,
  },
  {
    name: 'backup',
    shows:
      'a backup under load, of 25,000 audits per second of --seconds, refuses no request, and its copy exports the same',
    file: 'svcd/test/backup/backup.proof.ts',
    project: 'embedded 18*',
    seconds: 10,
  },
  {
    name: 'parsers',
    shows:
      'no input makes a parser of files, bodies, headers or cursors crash, or do more work than its size allows',
    file: 'service/test/property/parsers.test.ts',
    project: 'embedded 18*',
    seconds: 20,
  },
  {
    name: 'old-node',
    shows:
      'a node of release 0.1.0 next to new nodes works or refuses, on PostgreSQL 15 if that is installed',
    file: 'service/test/upgrade/old-node.proof.ts',
    project: 'embedded 18*',
    seconds: 1,
  },
  {
    name: 'failover',
    shows:
      'when PostgreSQL fails over with Patroni, nothing that was answered is lost or doubled, and the service is back soon; needs Debian packages, which it names',
    file: 'service/test/failover/failover.proof.ts',
    project: 'embedded 18*',
    seconds: 6,
    onRequest: true,
    alone: true,
  },
];
