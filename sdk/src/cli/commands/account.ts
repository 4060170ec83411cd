import { TOKEN_PREFIXES } from '../../contract/index.ts';
import { checkedBaseUrl, DEFAULT_BASE_URL } from '../../options.ts';
import { type Command, flag, type Options, text, UsageError } from '../command.ts';
import {
  credentialsFile,
  DEFAULT_PROFILE,
  readProfiles,
  removeProfile,
  writeProfile,
} from '../credentials.ts';
import { printMessage, write } from '../io.ts';
import { valueText } from '../output/format.ts';
import { outputOf, outputOptions } from '../output/options.ts';
import { cellText } from '../output/record.ts';
import { detailText } from '../output/table.ts';
import { readSecret } from '../prompt.ts';
import { checkedKey, clientFor, debugOption, originOf, profileOf } from '../session.ts';

const profileOption = (use: string): Options => ({
  profile: {
    type: 'string',
    value: 'NAME',
    description: `${use} Default: SVC_PROFILE, or ${DEFAULT_PROFILE}`,
  },
});

export const loginCommand: Command = {
  path: ['login'],
  summary: 'Store an API key and the address of the service',
  options: {
    'base-url': {
      type: 'string',
      value: 'URL',
      description: `Address of the service. Default: SVC_BASE_URL, or ${DEFAULT_BASE_URL} if it is not set`,
    },
    ...profileOption('Store them under this name.'),
    ...debugOption,
  },
  notes: [
    'The key is read from the terminal without echo, or from standard input: svc login < key.txt. The command checks the key with one request, then stores it in a file that only you can read.',
    'SVC_API_KEY has precedence over the stored key, and --profile over SVC_API_KEY.',
    'Profiles are for several services or workspaces: svc login --profile staging, then svc audits list --profile staging.',
  ],
  async run(invocation) {
    const { io, values } = invocation;
    const given = text(values, 'base-url');
    const baseUrl = checkedBaseUrl(
      given ?? (io.env['SVC_BASE_URL'] || DEFAULT_BASE_URL),
      given === undefined ? 'SVC_BASE_URL' : '--base-url',
    );
    const profile = profileOf(invocation);
    const apiKey = checkedKey((await readSecret(io, `API key for ${baseUrl}: `)).trim());
    await clientFor(invocation, { apiKey, baseUrl }).audits.count({ signal: io.signal });
    const { path, copy } = await writeProfile(io.env, profile, { apiKey, baseUrl });
    const name = profile === DEFAULT_PROFILE ? '' : ` as the profile ${profile}`;
    await printMessage(io, `svc: the key works and is stored${name} in ${path}.`);
    if (copy !== undefined)
      await printMessage(io, `svc: the file was damaged. Its copy, which may have other keys, is ${copy}.`);
  },
};

export const logoutCommand: Command = {
  path: ['logout'],
  summary: 'Remove a stored key and its address',
  options: {
    ...profileOption('Remove this profile.'),
    all: { type: 'boolean', description: 'Remove every profile' },
  },
  async run(invocation) {
    const { io, values } = invocation;
    const all = flag(values, 'all');
    if (all && text(values, 'profile') !== undefined)
      throw new UsageError('Use either --all or --profile, not both.');
    const profile = profileOf(invocation);
    const removed = await removeProfile(io.env, all ? undefined : profile);
    const what = all || profile === DEFAULT_PROFILE ? credentialsFile(io.env) : `the profile ${profile}`;
    if (removed === undefined) return printMessage(io, 'svc: nothing is stored.');
    if (removed.copy === undefined) return printMessage(io, `svc: removed ${what}.`);
    await printMessage(
      io,
      `svc: removed ${removed.path}. It was damaged. Its copy, which may have keys, is ${removed.copy}.`,
    );
  },
};

const PROFILE_FIELDS = { name: 'text', mode: 'text', baseUrl: 'text' } as const;

export const profilesCommand: Command = {
  path: ['profiles'],
  summary: 'List the stored profiles',
  options: outputOptions(PROFILE_FIELDS),
  async run(invocation) {
    const { io } = invocation;
    const { writer } = outputOf(invocation, PROFILE_FIELDS);
    const records = [...(await readProfiles(io))].map(([name, { apiKey, baseUrl }]) => ({
      name,
      mode: apiKey.startsWith(TOKEN_PREFIXES.live) ? 'live' : 'test',
      baseUrl,
    }));
    await write(io.stdout, writer.page(records) + writer.end());
  },
};

export const whoamiCommand: Command = {
  path: ['whoami'],
  summary: 'Show the key, its workspace, and what limits it',
  options: { json: { type: 'boolean', description: 'Print JSON, also on a terminal' } },
  notes: ['With a live key, this counts as one request.'],
  async run(invocation) {
    const { io, values } = invocation;
    const origin = await originOf(invocation);
    const me = await clientFor(invocation, origin).me({ signal: io.signal });
    const { baseUrl, profile = null } = origin;
    if (flag(values, 'json') || io.stdout.isTTY !== true)
      return write(io.stdout, valueText({ ...me, baseUrl, profile }, io.stdout));
    const lines = {
      address: baseUrl,
      from: profile === null ? 'SVC_API_KEY' : `profile ${profile}`,
      ...flat(me),
    };
    return write(io.stdout, detailText(Object.keys(lines), lines));
  },
};

/** `{ key: { name: 'x' }, quota: null }` → `{ 'key.name': 'x', quota: 'none' }`. */
const flat = (parts: object): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(parts).flatMap(([part, values]: [string, object | null]) =>
      values === null
        ? [[part, 'none']]
        : Object.entries(values).map(([name, value]) => [`${part}.${name}`, cellText(value) || 'none']),
    ),
  );
