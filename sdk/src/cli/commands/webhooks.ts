import { verifyWebhook } from '../../webhooks.ts';
import { type Command, flag, parseHeaders, text, UsageError, type Values } from '../command.ts';
import { readInput } from '../input.ts';
import { type Io, write } from '../io.ts';
import { valueText } from '../output/format.ts';

const SECRET_VARIABLE = 'SVC_WEBHOOK_SECRET';

export const verifyWebhookCommand: Command = {
  path: ['webhooks', 'verify'],
  summary: 'Verify the signature of a webhook and print its event',
  options: {
    header: {
      type: 'string',
      short: 'H',
      value: 'NAME:VALUE',
      description: 'Header of the webhook. Repeat it for webhook-id, webhook-timestamp and webhook-signature',
      multiple: true,
    },
    body: { type: 'string', value: 'FILE', description: 'Body as it arrived. Default: standard input' },
    'secret-file': {
      type: 'string',
      value: 'FILE',
      description: `Default: the secret in ${SECRET_VARIABLE}`,
    },
    'any-age': { type: 'boolean', description: 'Accept a webhook of any age. Default: five minutes' },
  },
  notes: [
    'While a secret is rotated, give both, on two lines of the file or with a space between them.',
    "Example: svc webhooks verify --body hook.json -H 'webhook-id: …' -H 'webhook-timestamp: …' -H 'webhook-signature: …'",
  ],
  async run({ io, values }) {
    const headers = parseHeaders(values);
    const secrets = await readSecrets(io, values);
    const body = await readInput(io, text(values, 'body') ?? '-');
    const event = await verifyWebhook(body, headers, secrets, {
      now: io.now,
      ...(flag(values, 'any-age') ? { toleranceSeconds: Number.POSITIVE_INFINITY } : {}),
    });
    await write(io.stdout, valueText(event, io.stdout));
  },
};

/** The secrets of a file, or of the environment. Throws {@link UsageError} if there are none. */
export async function readSecrets(io: Io, values: Values): Promise<readonly string[]> {
  const file = text(values, 'secret-file');
  const secrets = file === undefined ? (io.env[SECRET_VARIABLE] ?? '') : String(await readInput(io, file));
  const found = secrets.split(/\s+/).filter((secret) => secret !== '');
  if (found.length === 0)
    throw new UsageError(`There is no secret. Set ${SECRET_VARIABLE} or use --secret-file.`);
  return found;
}
