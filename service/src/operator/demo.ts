import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import type { Logger } from 'pino';
import { type Config, readConfig } from '../config.ts';
import { createSignInLink } from '../dashboard/links.ts';
import { createLog, STANDARD_ERROR } from '../log/log.ts';
import { freePort } from '../server/listen.ts';
import type { Service } from '../server/service.ts';
import { urlOf } from '../server/settings.ts';
import { type DemoKeys, makeDemoKeys } from './demo/keys.ts';
import { DEMO_EMAIL, seedDemo } from './demo/seed.ts';
import { runService } from './run-service.ts';
import { say } from './say.ts';

interface DemoFlags {
  readonly port?: string;
  readonly json?: true;
}

interface DemoResult extends DemoKeys {
  readonly url: string;
  readonly ownerEmail: string;
  readonly signInLink: string;
  readonly workspaceId: string;
}

const DEFAULT_PORT = 8080;

/** `svcd demo`: a service of its own with a year of made-up data, ready to be asked. */
export function demoCommand(): Command {
  return new Command('demo')
    .description(
      'run a service with a year of made-up data, in a data directory of its own (demo in SVC_DATA_DIR),\n' +
        'and print a link to the dashboard and ready keys. Again: the same data, new keys.',
    )
    .summary('run a service with made-up data')
    .option('--port <number>', `port (default: SVC_PORT, else ${DEFAULT_PORT}, else a free one)`, portNumber)
    .option(
      '--json',
      'print url, ownerEmail, signInLink, workspaceId, testKey and liveKey as one line of JSON',
    )
    .action(async (flags: DemoFlags) => {
      const config = await demoConfig(process.env, flags.port);
      say('Starting the demo …');
      process.exitCode = await runService({
        config,
        purpose: 'svcd demo',
        log: createLog(process.env['SVC_LOG_LEVEL'] ? config.logLevel : 'warn', STANDARD_ERROR),
        ready: async (service, log) => {
          const result = await prepare(service, log);
          console.log(flags.json ? JSON.stringify(result) : describe(result, config));
        },
      });
    });
}

function portNumber(text: string): string {
  if (/^\d{1,5}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a number.');
}

/** The settings, but with the embedded database in a directory of its own: a demo never touches real data. */
async function demoConfig(env: NodeJS.ProcessEnv, port: string | undefined): Promise<Config> {
  const { SVC_DATABASE_URL, SVC_SECRET, ...rest } = env;
  const settings = {
    SVC_WORKERS: '1',
    ...rest,
    SVC_DATA_DIR: join(env['SVC_DATA_DIR'] || './data', 'demo'),
  };
  const given = port ?? env['SVC_PORT'];
  if (given) return readConfig({ ...settings, SVC_PORT: given });
  const { host } = readConfig(settings);
  return readConfig({ ...settings, SVC_PORT: String(await freePort(host, DEFAULT_PORT)) });
}

async function prepare({ pool, settings }: Service, log: Logger): Promise<DemoResult> {
  const { publicUrl, secrets, host, port } = settings;
  const { workspaceId, userId } = await seedDemo({ pool, secrets, publicUrl, log, nowMs: Date.now() });
  const link = (): Promise<string> => createSignInLink({ pool, publicUrl, userId });
  const keys = await makeDemoKeys({
    url: urlOf(host, port),
    publicUrl,
    workspaceId,
    signInLink: await link(),
  });
  return { url: publicUrl, ownerEmail: DEMO_EMAIL, signInLink: await link(), workspaceId, ...keys };
}

const describe = (
  { url, signInLink, ownerEmail, testKey, liveKey }: DemoResult,
  { dataDir }: Config,
): string => `
The demo is ready: ${url}

  Dashboard  ${signInLink}
             (signs you in once, as ${ownerEmail})
  Test key   ${testKey}
  Live key   ${liveKey}

Try it:

  curl -H 'Authorization: Bearer ${testKey}' '${url}/v1/audits?limit=3'

Its data is in ${resolve(dataDir)}; remove that to begin anew. Ctrl-C stops.`;
