import { expect, test } from 'vitest';
import { sendUnited } from '../src/united.ts';

test('items wait together while a call has no answer, each once, and others are dropped', async () => {
  const sent: (readonly string[])[] = [];
  let answer = (): void => undefined;
  const send = sendUnited((items: readonly string[]) => {
    sent.push(items);
    return new Promise<void>((resolve, reject) => {
      // A failure is an answer too.
      answer = sent.length === 1 ? () => reject(new Error('gone')) : resolve;
    });
  }, 3);
  send(['a']);
  for (const item of ['b', 'c', 'b', 'd', 'e']) send([item]);
  expect(sent).toEqual([['a']]);
  answer();
  await expect.poll(() => sent).toEqual([['a'], ['b', 'c', 'd']]);
  answer();
  send(['f']);
  await expect.poll(() => sent.at(-1)).toEqual(['f']);
});
