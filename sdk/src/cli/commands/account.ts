import { checkedBaseUrl, DEFAULT_BASE_URL } from '../../options.ts';
import { type Command, text } from '../command.ts';
import { credentialsFile, removeCredentials, writeCredentials } from '../credentials.ts';
import { printMessage } from '../io.ts';
import { readSecret } from '../prompt.ts';
import { checkedKey, clientFor } from '../session.ts';

export const loginCommand: Command = {
  path: ['login'],
  summary: 'Store an API key and the address of the service',
  options: {
    'base-url': {
      type: 'string',
      value: 'URL',
      description: `Address of the service. Default: SVC_BASE_URL, or ${DEFAULT_BASE_URL} if it is not set`,
    },
  },
  notes: [
    'The key is read from the terminal without echo, or from standard input: svc login < key.txt. The command checks the key with one request, then stores it in a file that only you can read.',
    'SVC_API_KEY has precedence over the stored key.',
  ],
  async run({ io, values }) {
    const baseUrl = checkedBaseUrl(text(values, 'base-url') ?? (io.env['SVC_BASE_URL'] || DEFAULT_BASE_URL));
    const apiKey = checkedKey((await readSecret(io, `API key for ${baseUrl}: `)).trim());
    await clientFor(io, { apiKey, baseUrl }).audits.count({ approximate: true, signal: io.signal });
    const path = await writeCredentials(io.env, { apiKey, baseUrl });
    await printMessage(io, `svc: the key works and is stored in ${path}.`);
  },
};

export const logoutCommand: Command = {
  path: ['logout'],
  summary: 'Remove the stored key and address',
  options: {},
  async run({ io }) {
    const removed = await removeCredentials(io.env);
    await printMessage(io, removed ? `svc: removed ${credentialsFile(io.env)}.` : 'svc: nothing is stored.');
  },
};
