import { Svc, SvcNetworkError } from '@svc/sdk';
import { describe, expect, test } from 'vitest';
import { oddServer } from '../changes/odd-server.ts';
import { instantPauses } from '../client.ts';

const GOOD = Buffer.from('{"id":"aud_a"}\n');
/** Exports audits from a server whose first response has these bytes, and each further one a record. */
async function read(first: Uint8Array) {
  const { url, asked } = await oddServer((response, _, index) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(index === 0 ? first : GOOD);
  });
  const svc = new Svc({ baseUrl: url, apiKey: `svc_test_${'x'.repeat(32)}`, timing: instantPauses().timing });
  const ids: string[] = [];
  let error: unknown;
  try {
    for await (const { id } of svc.audits.export()) ids.push(id);
  } catch (reason) {
    error = reason;
  }
  return { ids, error, requests: asked.length };
}

describe.each([
  ['bytes that are not UTF-8', Buffer.of(0x22, 0xff, 0x0a), 'it is not UTF-8'],
  ['a line that is not JSON', Buffer.from('{"id":\n'), 'a line is not complete JSON'],
  ['a line without an end', Buffer.from('{"id":'), 'a line is not complete JSON'],
])('an export with %s', (_, bytes, reason) => {
  test('is asked for again before its first record', async () => {
    expect(await read(bytes)).toEqual({ ids: ['aud_a'], error: undefined, requests: 2 });
  });

  test('throws after its first record', async () => {
    const { error, requests } = await read(Buffer.concat([GOOD, bytes]));
    expect(error).toBeInstanceOf(SvcNetworkError);
    expect(error).toMatchObject({ message: `The export is damaged: ${reason}.` });
    expect(requests).toBe(1);
  });
});
