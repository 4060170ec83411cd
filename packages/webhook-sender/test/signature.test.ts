import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { createSecret, signatureHeaders } from '../src/index.ts';

const body = Buffer.from('{"type":"content.updated","data":{"title":"Zürich"}}');

test('the package standardwebhooks accepts what is signed', () => {
  fc.assert(
    fc.property(
      fc.json(),
      fc.stringMatching(/^[\w-]{1,40}$/),
      fc.uint8Array({ minLength: 24, maxLength: 64 }),
      (json, id, key) => {
        const secret = `whsec_${Buffer.from(key).toString('base64')}`;
        const bytes = Buffer.from(json);
        const headers = signatureHeaders({ id, body: bytes, nowMs: Date.now() }, [secret]);
        expect(new Webhook(secret).verify(bytes, headers)).toEqual(JSON.parse(json));
        expect(() => new Webhook(secret).verify(`${json} `, headers)).toThrow('No matching signature found');
      },
    ),
  );
});

test('while a secret is rotated, both secrets accept the message', () => {
  const [older, newer, other] = [createSecret(), createSecret(), createSecret()];
  const headers = signatureHeaders({ id: 'chg_1', body, nowMs: Date.now() }, [newer, older]);
  expect(headers['webhook-signature']).toMatch(/^v1,[\w+/]{43}= v1,[\w+/]{43}=$/);
  for (const secret of [older, newer]) expect(() => new Webhook(secret).verify(body, headers)).not.toThrow();
  expect(() => new Webhook(other).verify(body, headers)).toThrow('No matching signature found');
});

test('the time is in whole seconds', () => {
  const secret = createSecret();
  const headers = signatureHeaders({ id: 'chg_1', body, nowMs: 1_767_225_600_999 }, [secret]);
  expect(headers).toMatchObject({ 'webhook-id': 'chg_1', 'webhook-timestamp': '1767225600' });
});

test('every secret is new, and has 32 bytes', () => {
  const secrets = Array.from({ length: 100 }, createSecret);
  expect(new Set(secrets).size).toBe(100);
  for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
});

const base64 = (bytes: number): string => Buffer.alloc(bytes, 255).toString('base64');

test.each([
  ['empty', ''],
  ['without a key', 'whsec_'],
  ['without its prefix', base64(32)],
  ['with a wrong character', `whsec_${base64(32)}*`],
  ['with a short key', `whsec_${base64(23)}`],
  ['with a long key', `whsec_${base64(65)}`],
  ['in base64url', `whsec_${base64(33).replaceAll('/', '_')}`],
])('a malformed secret signs nothing: %s', (_, secret) => {
  expect(() => signatureHeaders({ id: 'chg_1', body, nowMs: 0 }, [secret])).toThrow('malformed');
});
