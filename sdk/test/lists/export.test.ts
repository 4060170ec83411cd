import type { ServerResponse } from 'node:http';
import { Svc, SvcNetworkError } from '@svc/sdk';
import { describe, expect, test } from 'vitest';
import { oddServer } from '../changes/odd-server.ts';
import { instantPauses } from '../client.ts';

const GOOD = '{"id":"aud_a"}\n';

/** Exports audits from a server, until it throws. `onRecord` is called with the last response, after each record. */
async function read(
  respond: (response: ServerResponse, index: number) => unknown,
  onRecord: (response: ServerResponse | undefined) => unknown = () => undefined,
) {
  let last: ServerResponse | undefined;
  const { url, asked } = await oddServer((response, _, index) => {
    last = response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    respond(response, index);
  });
  const svc = new Svc({ baseUrl: url, apiKey: `svc_test_${'a'.repeat(32)}`, timing: instantPauses().timing });
  const ids: string[] = [];
  let error: unknown;
  try {
    for await (const { id } of svc.audits.export()) {
      ids.push(id);
      onRecord(last);
    }
  } catch (thrown) {
    error = thrown;
  }
  return { ids, error, requests: asked.length };
}

test('an export skips empty lines, which the service sends while it searches', async () => {
  const found = await read((response) => response.end(`\n\n${GOOD}\n`));
  expect(found).toEqual({ ids: ['aud_a'], error: undefined, requests: 1 });
});

describe.each([
  ['bytes that are not UTF-8', Buffer.of(0x22, 0xff, 0x0a), 'it is not UTF-8'],
  ['a line that is no record', Buffer.from('null\n'), 'a line is not a record'],
  ['a line that is not JSON', Buffer.from('{"id":\n'), 'a line is not complete JSON'],
  ['a line without an end', Buffer.from('{"id":'), 'a line is not complete JSON'],
])('an export with %s', (_, bytes, reason) => {
  test('is read again before its first record', async () => {
    const found = await read((response, index) => response.end(index === 0 ? bytes : GOOD));
    expect(found).toEqual({ ids: ['aud_a'], error: undefined, requests: 2 });
  });

  test('throws after its first record', async () => {
    const found = await read(
      (response) => response.write(GOOD),
      (response) => response?.end(bytes),
    );
    expect(found).toMatchObject({ ids: ['aud_a'], requests: 1 });
    expect(found.error).toBeInstanceOf(SvcNetworkError);
    expect(found.error).toMatchObject({
      message: `The export is damaged: ${reason}.`,
      request: { method: 'GET', path: '/v1/audits/export' },
    });
  });
});
