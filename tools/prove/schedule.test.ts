import { expect, test } from 'vitest';
import { runTasks, type Task } from './schedule.ts';

/** Tasks with names, which end when `end` is called. A capital letter is an exclusive task, a digit one that runs alone. */
function tasksOf(names: string) {
  const started: string[] = [];
  const ends = new Map<string, (success: boolean) => void>();
  const tasks = [...names].map((name): Task => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    ends.set(name, resolve);
    return {
      exclusive: /[A-Z]/.test(name),
      alone: /\d/.test(name),
      run: () => {
        started.push(name);
        return promise;
      },
    };
  });
  const end = async (name: string, success = true): Promise<void> => {
    ends.get(name)?.(success);
    await new Promise(setImmediate);
  };
  return { tasks, started, end };
}

test('no more tasks run than are allowed, and exclusive ones run one after another', async () => {
  const { tasks, started, end } = tasksOf('ABcd');
  const ended = runTasks(tasks, 2);
  expect(started).toEqual(['A', 'c']);
  await end('c');
  expect(started).toEqual(['A', 'c', 'd']);
  await end('A');
  expect(started).toEqual(['A', 'c', 'd', 'B']);
  await end('B', false);
  await end('d');
  expect(await ended).toEqual([true, false, true, true]);
});

test('a task that runs alone waits for the others, and they wait for it', async () => {
  const { tasks, started, end } = tasksOf('1ab2');
  const ended = runTasks(tasks, 2);
  expect(started).toEqual(['1']);
  await end('1');
  expect(started).toEqual(['1', 'a', 'b']);
  await end('a');
  expect(started).toEqual(['1', 'a', 'b']);
  await end('b');
  expect(started).toEqual(['1', 'a', 'b', '2']);
  await end('2');
  expect(await ended).toEqual([true, true, true, true]);
});

test('a task that fails does not keep the others from running', async () => {
  const { tasks, started, end } = tasksOf('abc');
  const ended = runTasks(tasks, 1);
  for (const name of ['a', 'b', 'c']) {
    expect(started.at(-1)).toBe(name);
    await end(name, name !== 'a');
  }
  expect(await ended).toEqual([false, true, true]);
});
