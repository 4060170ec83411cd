import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const PROGRAM = join(import.meta.dirname, 'full-worker.fixture.ts');
const REQUEST = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';

test('a worker process closes the connections above its limit, instead of giving them back', async () => {
  const program = fork(PROGRAM);
  onTestFinished(() => program.disconnect());
  const [port] = (await once(program, 'message')) as [number];
  const first = connect(port, '127.0.0.1').setEncoding('utf8');
  onTestFinished(() => void first.destroy());
  first.write(REQUEST);
  expect(String(await once(first, 'data'))).toContain('answered');
  const second = connect(port, '127.0.0.1').resume();
  await once(second, 'close');
  first.write(REQUEST);
  expect(String(await once(first, 'data'))).toContain('answered');
});
