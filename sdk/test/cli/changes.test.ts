import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestService } from '@svc/service/harness/service.ts';
import { listen } from '@svc/service/harness/socket.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { clientOf, fetchOf, IN_PROCESS_URL } from '../client.ts';
import { type CliOptions, type CliResult, cli, records } from './cli.ts';

const service = await createTestService();
const home = await temporaryDirectory();
let token: string;

beforeEach(async () => {
  token = await service.token(await service.workspace(), { access: 'write' });
  await create('com_a');
  await create('com_b');
});

const create = (id: string) => clientOf(service.app, token).companies.create({ id, name: id });
const command = (argv: string, options: CliOptions = {}): Promise<CliResult> =>
  cli(argv.split(' '), {
    fetch: fetchOf(service.app),
    ...options,
    env: { SVC_API_KEY: token, SVC_BASE_URL: IN_PROCESS_URL, XDG_CONFIG_HOME: home },
  });
const idsOf = ({ code, stdout, stderr }: CliResult): readonly unknown[] => {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return records(stdout).map(({ recordId }) => recordId);
};

describe('svc changes', () => {
  test('list prints the changes, newest first, and get prints one of them', async () => {
    const listed = await command('changes list');
    expect(idsOf(listed)).toEqual(['com_b', 'com_a']);
    expect(idsOf(await command('changes list --reverse'))).toEqual(['com_a', 'com_b']);
    expect(idsOf(await command('changes list --type company.created --company com_b'))).toEqual(['com_b']);
    const [first] = records(listed.stdout);
    expect(records((await command(`changes get ${String(first?.['id'])}`)).stdout)).toEqual([first]);
  });

  test('tail begins at the oldest change, now, the id of a change or the position in a file', async () => {
    expect(idsOf(await command('changes tail --once --after start'))).toEqual(['com_a', 'com_b']);
    expect(idsOf(await command('changes tail --once --after now'))).toEqual([]);
    const [, oldest] = records((await command('changes list')).stdout);
    expect(idsOf(await command(`changes tail --once --after ${String(oldest?.['id'])}`))).toEqual(['com_b']);
    const file = join(home, 'position');
    const kept = `changes tail --once --after start --position ${file}`;
    expect(idsOf(await command(kept))).toEqual(['com_a', 'com_b']);
    expect(await readFile(file, 'utf8')).toMatch(/^chg_\w+\n$/);
    await create('com_c');
    expect(idsOf(await command(kept))).toEqual(['com_c']);
  });

  test('tail is a table on a terminal, and CSV has the record as JSON', async () => {
    const table = await command('changes tail --once --after start', { terminal: ['stdout'] });
    expect(table.stdout).toMatch(/^id +type +resource +recordId/);
    const csv = await command('changes tail --once --after start --format csv');
    expect(csv.stdout).toContain('company.created,companies,com_a,com_a,');
    expect(csv.stdout).toContain('"{""id"":""com_a""');
  });

  test('tail --stream prints each change as it is committed, and keeps its position in a file', async () => {
    const url = await listen(service);
    const file = join(home, 'streamed');
    const controller = new AbortController();
    const streaming = cli(['changes', 'tail', '--stream', '--after', 'start', '--position', file], {
      env: { SVC_API_KEY: token, SVC_BASE_URL: url, XDG_CONFIG_HOME: home },
      signal: controller.signal,
    });
    const positions = async (): Promise<string> => (await readFile(file, 'utf8').catch(() => '')).trim();
    const newest = async (): Promise<string> =>
      (await clientOf(service.app, token).changes.list({ limit: 1 })).data[0]?.id ?? '';
    await expect.poll(positions).toBe(await newest());
    await create('com_c');
    await expect.poll(positions).toBe(await newest());
    controller.abort(new Error('enough'));
    expect(records((await streaming).stdout).map(({ recordId }) => recordId)).toEqual([
      'com_a',
      'com_b',
      'com_c',
    ]);
    expect(await command('changes tail --stream --once')).toMatchObject({ code: 2, stdout: '' });
    expect(await command('audits tail --stream')).toMatchObject({ code: 2, stdout: '' });
  });

  test('tail has no pause between polls to set', async () => {
    expect(await command('changes tail --poll 5')).toMatchObject({ code: 2, stdout: '' });
  });
});
