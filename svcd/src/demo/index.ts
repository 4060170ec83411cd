import { join, resolve } from 'node:path';
import { type Config, readConfig } from '@svc/service/config/config';
import { createLog, STANDARD_ERROR } from '@svc/telemetry/log/log';
import { Command, InvalidArgumentError } from 'commander';
import { print, say } from '../output.ts';
import { runService } from '../run-service.ts';
import { DEMO_KEYS_KEPT } from './keys.ts';
import type { Demo } from './prepare.ts';

interface DemoFlags {
  readonly port?: string;
  readonly publicUrl?: string;
  readonly json?: true;
}

const DEFAULT_PORT = 8080;

/** `svcd demo`: runs a separate service with a year of made-up data. */
export function demoCommand(): Command {
  return new Command('demo')
    .description(
      'run a service with a year of made-up data in its own data directory (demo in SVC_DATA_DIR),\n' +
        'and print a sign-in link and API keys. A restart keeps the data, and the last ten keys of each kind.',
    )
    .summary('run a service with made-up data')
    .option(
      '--port <number>',
      `port (default: SVC_PORT, or else ${DEFAULT_PORT}, or else a free port)`,
      portNumber,
    )
    .option(
      '--public-url <url>',
      'the address at which people reach the demo (default: http:// with host and port)',
    )
    .option(
      '--json',
      'print url, ownerEmail, signInLink, workspaceId, testKey and liveKey as one line of JSON',
    )
    .action(async (flags: DemoFlags) => {
      const port = flags.port ?? (process.env['SVC_PORT'] || undefined);
      const config = demoConfig(process.env, port ?? '0', flags.publicUrl);
      say('Starting the demo …');
      const preparing = import('./prepare.ts');
      const exitCode = await runService({
        config,
        purpose: 'svcd demo',
        ...(port === undefined ? { preferredPort: DEFAULT_PORT } : {}),
        // Standard output has only the result.
        log: createLog(config.logLevel, STANDARD_ERROR),
        logFd: STANDARD_ERROR,
        ready: async (service, log) => {
          const used = service.settings.port;
          if (port === undefined && used !== DEFAULT_PORT)
            say(`Port ${DEFAULT_PORT} is in use, so the demo uses port ${used}.`);
          const demo = await (await preparing).prepareDemo(service, log);
          await print(flags.json ? JSON.stringify(demo) : describe(demo, config));
        },
      });
      process.exit(exitCode);
    });
}

function portNumber(text: string): string {
  if (/^\d{1,5}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be an integer.');
}

/** The settings that say where a real service has its data and its secret, and how people reach it and sign in. */
const OF_REAL_SERVICE =
  /^SVC_(?:DATABASE_URL|DATABASE_POOLER|DATABASE_DIRECT_URL|SECRET|PUBLIC_URL|OIDC_\w+)$/;

/** The settings with a separate data directory and the embedded database, so that a demo never touches real data. */
function demoConfig(env: NodeJS.ProcessEnv, port: string, publicUrl: string | undefined): Config {
  const rest = Object.fromEntries(Object.entries(env).filter(([name]) => !OF_REAL_SERVICE.test(name)));
  return readConfig({
    SVC_WORKERS: '1',
    SVC_LOG_LEVEL: 'warn',
    ...rest,
    SVC_DATA_DIR: join(env['SVC_DATA_DIR'] || './data', 'demo'),
    SVC_PORT: port,
    SVC_PUBLIC_URL: publicUrl,
  });
}

const describe = ({ url, signInLink, ownerEmail, testKey, liveKey }: Demo, { dataDir }: Config): string => `
The demo is ready: ${url}

  Dashboard  ${signInLink}
             (signs you in once, as ${ownerEmail})
  Test key   ${testKey}
  Live key   ${liveKey}
  API docs   ${url}/docs

Try it:

  curl -H 'Authorization: Bearer ${testKey}' '${url}/v1/audits?limit=3'

To run the examples of the docs, set these variables (some say that they need the live key):

  export SVC_BASE_URL=${url} SVC_API_KEY=${testKey}

A restart prints new keys; the last ${DEMO_KEYS_KEPT} keys of each kind stay valid.
The data is in ${resolve(dataDir)}. Remove this directory to start over. Press Ctrl-C to stop.`;
