import { createHmac } from 'node:crypto';
import {
  SvcError,
  SvcWebhookError,
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookHeaders,
} from '@svc/sdk';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';

const secretOf = (bytes: Uint8Array): string => `whsec_${Buffer.from(bytes).toString('base64')}`;
const SECRET = secretOf(Buffer.alloc(32, 1));
const OTHER = secretOf(Buffer.alloc(32, 2));
const NOW = Date.parse('2026-03-01T09:30:00Z');
const EVENT = {
  type: 'content.updated',
  timestamp: '2026-03-01T09:30:00.123456Z',
  data: { id: 'chg_1', record: { title: 'Zürich' } },
};
const BODY = JSON.stringify(EVENT);
const options: VerifyWebhookOptions = { now: () => NOW };

/** The headers that the package standardwebhooks gives a webhook. */
const headersOf = (body: string, secrets: readonly string[] = [SECRET], id = 'chg_1', nowMs = NOW) => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(nowMs / 1000)),
  'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, new Date(nowMs), body)).join(' '),
});

const codeOf = async (
  body: string,
  headers: WebhookHeaders,
  secret: string | readonly string[] = SECRET,
  more: VerifyWebhookOptions = options,
): Promise<string | undefined> => {
  const error: unknown = await verifyWebhook(body, headers, secret, more).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error !== undefined) expect(error).toBeInstanceOf(SvcWebhookError);
  return error instanceof SvcWebhookError ? error.code : undefined;
};

test('what the package standardwebhooks signs is verified, and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        type: fc.string(),
        timestamp: fc.string(),
        data: fc.dictionary(fc.string(), fc.jsonValue()),
      }),
      fc.stringMatching(/^[\w-]{1,40}$/),
      fc.uint8Array({ minLength: 24, maxLength: 64 }),
      async (event, id, key) => {
        const secret = secretOf(key);
        const body = JSON.stringify(event);
        const headers = headersOf(body, [secret], id);
        expect(await verifyWebhook(body, headers, secret, options)).toEqual(JSON.parse(body));
        expect(await codeOf(`${body} `, headers, secret)).toBe('wrong_signature');
        expect(await codeOf(body, { ...headers, 'webhook-id': `${id}x` }, secret)).toBe('wrong_signature');
        expect(await codeOf(body, { ...headers, 'webhook-timestamp': `${NOW / 1000 + 1}` }, secret)).toBe(
          'wrong_signature',
        );
        expect(await codeOf(body, headers, OTHER)).toBe('wrong_signature');
      },
    ),
  );
});

test('the body is text or bytes, and the headers are those of any server', async () => {
  const headers = headersOf(BODY);
  const bytes = new TextEncoder().encode(BODY);
  for (const body of [BODY, bytes, Buffer.from(BODY), bytes.buffer, Buffer.from(`x${BODY}`).subarray(1)]) {
    expect(await verifyWebhook(body, headers, SECRET, options)).toEqual(EVENT);
  }
  const upper = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
  );
  const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
  for (const form of [
    new Headers(headers),
    Object.entries(headers),
    new Map(Object.entries(headers)),
    { forEach: new Headers(headers).forEach.bind(new Headers(headers)) },
    upper,
    lists,
  ]) {
    expect(await verifyWebhook(BODY, form, SECRET, options)).toEqual(EVENT);
  }
});

test('while a secret is rotated, either side may have both', async () => {
  expect(await codeOf(BODY, headersOf(BODY, [OTHER, SECRET]), SECRET)).toBeUndefined();
  expect(await codeOf(BODY, headersOf(BODY, [OTHER]), [SECRET, OTHER])).toBeUndefined();
  expect(await codeOf(BODY, headersOf(BODY, [OTHER]), [SECRET])).toBe('wrong_signature');
});

test('signatures of other versions are ignored', async () => {
  const headers = headersOf(BODY);
  const own = headers['webhook-signature'];
  const signed = (value: string) => ({ ...headers, 'webhook-signature': value });
  expect(await codeOf(BODY, signed(`v1a,abc ${own} v2,abc`))).toBeUndefined();
  for (const value of [own.replace('v1,', 'v2,'), own.slice(3), own.slice(0, -1), 'v1,', 'v1,!', ',']) {
    expect([value, await codeOf(BODY, signed(value))]).toEqual([value, 'wrong_signature']);
  }
});

test('only the first eight signatures are compared', async () => {
  const headers = headersOf(BODY, [...Array.from({ length: 8 }, () => OTHER), SECRET]);
  expect(await codeOf(BODY, headers)).toBe('wrong_signature');
});

test('a webhook may be five minutes from the time of this machine, on either side', async () => {
  const ages = [-301, -300, 0, 300, 301];
  const codes = ages.map((age) => codeOf(BODY, headersOf(BODY, [SECRET], 'chg_1', NOW - age * 1000)));
  expect(await Promise.all(codes)).toEqual(['too_new', undefined, undefined, undefined, 'too_old']);
  const old = headersOf(BODY, [SECRET], 'chg_1', 0);
  const anyAge = { ...options, toleranceSeconds: Number.POSITIVE_INFINITY };
  expect(await codeOf(BODY, old, SECRET, anyAge)).toBeUndefined();
});

test('by default, the time is that of the machine', async () => {
  expect(await codeOf(BODY, headersOf(BODY, [SECRET], 'chg_1', Date.now()), SECRET, {})).toBeUndefined();
  expect(await codeOf(BODY, headersOf(BODY), SECRET, {})).toMatch(/^too_/);
});

test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
  'without the header %s, or with two of them, a webhook is refused',
  async (name) => {
    const headers = headersOf(BODY);
    expect(await codeOf(BODY, { ...headers, [name]: undefined })).toBe('missing_header');
    expect(await codeOf(BODY, { ...headers, [name]: '' })).toBe('missing_header');
    expect(await codeOf(BODY, { ...headers, [name]: ['1', '2'] })).toBe('invalid_header');
    expect(await codeOf(BODY, [...Object.entries(headers), [name, '1']])).toBe('invalid_header');
  },
);

test.each(['', '1.5', '-1', '1e3', ' 1', 'now', '9'.repeat(13)])(
  'a time that is no number of seconds is refused: %j',
  async (time) => {
    expect(await codeOf(BODY, { ...headersOf(BODY), 'webhook-timestamp': time })).toMatch(
      /^(?:missing|invalid)_header$/,
    );
  },
);

test.each(['', '[]', 'null', '{', '{"type":"a","timestamp":"b"}', '{"type":1,"timestamp":"b","data":{}}'])(
  'a signed body that is no event is refused: %j',
  async (body) => {
    expect(await codeOf(body, headersOf(body))).toBe('invalid_body');
  },
);

test('a signed body that is not UTF-8 is refused', async () => {
  const body = Buffer.from([0x22, 0xff, 0x22]);
  const mac = createHmac('sha256', Buffer.alloc(32, 1))
    .update(`chg_1.${NOW / 1000}.`)
    .update(body);
  const headers = { ...headersOf(BODY), 'webhook-signature': `v1,${mac.digest('base64')}` };
  await expect(verifyWebhook(body, headers, SECRET, options)).rejects.toMatchObject({ code: 'invalid_body' });
});

test.each([undefined, {}, Object.create(null)])(
  'a request without a body, as Express gives it, is refused: %j',
  async (body) => {
    const call = verifyWebhook(body as unknown as string, headersOf(''), SECRET, options);
    await expect(call).rejects.toMatchObject({ name: 'SvcWebhookError', code: 'invalid_body' });
  },
);

test('a wrong argument is a mistake of the program, and the message does not contain the secret', async () => {
  const wrong = [
    verifyWebhook(BODY, headersOf(BODY), SECRET.slice(6), options),
    verifyWebhook(BODY, headersOf(BODY), secretOf(Buffer.alloc(23, 1)), options),
    verifyWebhook(BODY, headersOf(BODY), [], options),
    verifyWebhook(BODY, headersOf(BODY), [SECRET, ''], options),
    ...[JSON.parse(BODY), Promise.resolve(BODY), new Blob([BODY]).stream(), new Blob([BODY]), [], null].map(
      (body) => verifyWebhook(body, headersOf(BODY), SECRET, options),
    ),
    ...[undefined, null, 'webhook-id: 1'].map((headers) =>
      verifyWebhook(BODY, headers as unknown as WebhookHeaders, SECRET, options),
    ),
    verifyWebhook(BODY, headersOf(BODY), SECRET, Object({ tolerance: 1 })),
    verifyWebhook(BODY, headersOf(BODY), SECRET, { ...options, toleranceSeconds: Number.NaN }),
    verifyWebhook(BODY, headersOf(BODY), SECRET, { ...options, toleranceSeconds: -1 }),
    verifyWebhook(BODY, headersOf(BODY), SECRET, { now: () => Number.NaN }),
  ];
  for (const result of await Promise.allSettled(wrong)) {
    const reason: unknown = result.status === 'rejected' ? result.reason : undefined;
    expect(reason).toBeInstanceOf(SvcError);
    expect(reason).not.toBeInstanceOf(SvcWebhookError);
    expect(String(reason)).not.toContain(SECRET.slice(6, 20));
  }
});
