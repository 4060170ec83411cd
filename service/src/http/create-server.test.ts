import { Readable } from 'node:stream';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { skipStreamsOfHead } from './create-server.ts';

test('HEAD of a streamed response has the headers and reads nothing of the stream; GET reads all of it', async () => {
  let chunks = 0;
  let ended = 0;
  const app = Fastify();
  skipStreamsOfHead(app);
  app.get('/stream', (_, reply) => {
    const stream = Readable.from(
      (function* () {
        for (let i = 0; i < 3; i++) {
          chunks += 1;
          yield 'chunk';
        }
      })(),
    );
    stream.on('close', () => {
      ended += 1;
    });
    return reply.header('x-kind', 'stream').type('text/csv').send(stream);
  });
  app.get('/text', () => 'text');
  const head = await app.inject({ method: 'HEAD', url: '/stream' });
  expect([head.statusCode, head.headers['x-kind'], head.headers['content-type'], head.body]).toEqual([
    200,
    'stream',
    'text/csv',
    '',
  ]);
  expect({ chunks, ended }).toEqual({ chunks: 0, ended: 1 });
  expect((await app.inject('/stream')).body).toBe('chunkchunkchunk');
  expect(chunks).toBe(3);
  const text = await app.inject({ method: 'HEAD', url: '/text' });
  expect([text.statusCode, text.headers['content-length'], text.body]).toEqual([200, '4', '']);
  await app.close();
});
