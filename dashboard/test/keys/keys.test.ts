import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Visitor } from '../harness/visitor.ts';
import { BROWSER_PATH, createWorld, type Person, type World } from '../harness/world.ts';

const run = promisify(execFile);

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('the page of the API keys', () => {
  let world: World;
  let ada: Person;
  let visitor: Visitor;
  let page: Page;
  beforeAll(async () => {
    world = await createWorld();
    ada = await world.person('Ada');
    const createdAt = '2026-03-01T09:30:00Z';
    await seedRecords(world.pool, ada.workspaceId, resourceNamed('companies'), [
      { id: 'com_a', name: 'Acme', domain: 'acme.example', createdAt },
      { id: 'com_b', name: 'Borealis', domain: null, createdAt },
    ]);
    visitor = await world.signedIn(ada);
    page = visitor.page;
  });

  const open = (): Promise<unknown> => page.goto(`/w/${ada.workspaceId}/keys`);
  const dialog = () => page.getByRole('dialog');
  const status = async (token: string, path = '/v1/audits'): Promise<number> => {
    const { status } = await fetch(world.url + path, { headers: { authorization: `Bearer ${token}` } });
    return status;
  };
  const create = async (name: string, choose = async (): Promise<void> => undefined): Promise<string> => {
    await open();
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await page.getByLabel('Name').fill(name);
    await choose();
    await dialog().getByRole('button', { name: 'Create key' }).click();
    return takeToken();
  };
  /** Copies the token with the button. */
  const takeToken = async (): Promise<string> => {
    await dialog().getByRole('button', { name: 'Copy token' }).click();
    return page.evaluate('navigator.clipboard.readText()');
  };
  const keep = async (): Promise<void> => {
    await dialog().getByRole('button', { name: "Done, I've saved it" }).click();
    await dialog().waitFor({ state: 'detached' });
  };
  const act = async (name: string, action: string): Promise<void> => {
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };

  test('says what to do while there is no key', async () => {
    await open();
    await page.getByRole('heading', { name: 'No keys yet' }).waitFor();
    visitor.expectNoProblems();
  });

  test('creates, copies, rotates and revokes a key, and the live log shows its use', async () => {
    const first = await create('Nightly crawler');
    expect(first).toMatch(/^svc_live_[\w-]{32}$/);
    await keep();
    const tail = await visitor.context.newPage();
    await tail.goto(`/w/${ada.workspaceId}/log`);
    await tail.getByRole('button', { name: 'Go live' }).click();
    expect(await status(first, '/v1/companies/com_a')).toBe(200);
    await tail.getByRole('row', { name: /200.*\/v1\/companies\/com_a.*Nightly crawler/ }).waitFor();
    await tail.close();

    await open();
    await page.getByRole('row', { name: /Nightly crawler.*just now/ }).waitFor();
    await act('Nightly crawler', 'Rotate…');
    await page.getByRole('alertdialog').getByText('stops working immediately').waitFor();
    await page.getByRole('alertdialog').getByText('Last used').waitFor();
    await page.getByRole('alertdialog').getByText('To avoid downtime, use Replace instead').waitFor();
    await page.getByRole('button', { name: 'Rotate key' }).click();
    const second = await takeToken();
    await keep();
    await page.route('**/rotate', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await act('Nightly crawler', 'Rotate…');
    await page.getByRole('button', { name: 'Rotate key' }).click();
    await page.getByRole('alert').getByText('Rotate again to get a token.').waitFor();
    await page.unroute('**/rotate');
    visitor.expectNoProblems(/ERR_FAILED/);
    const read = page.waitForResponse(/\/keys\?/);
    await page.keyboard.press('Escape');
    await read;
    expect(await status(second)).toBe(401);
    await act('Nightly crawler', 'Rotate…');
    await page.getByRole('button', { name: 'Rotate key' }).click();
    const third = await takeToken();
    await keep();
    expect(second).not.toBe(first);
    expect([await status(first), await status(third)]).toEqual([401, 200]);

    await act('Nightly crawler', 'Revoke…');
    await page.getByRole('alertdialog').getByText('cannot be undone').waitFor();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText('“Nightly crawler” is revoked.', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'No keys yet' }).waitFor();
    expect(await status(third)).toBe(401);

    await page.getByRole('radio', { name: 'Revoked' }).click();
    await page.getByRole('row', { name: /Nightly crawler/ }).waitFor();
    expect(await page.getByRole('button', { name: /^Actions for/ }).count()).toBe(0);
    visitor.expectNoProblems();
  });

  test('leaves no trace of a token: not in the document, the storage or the history, nor in the log', async () => {
    const token = await create('Traceless');
    expect(await page.content()).toContain(token);
    await page.keyboard.press('Escape');
    expect(await dialog().count(), 'Escape does not lose the token').toBe(1);
    await keep();
    expect(await page.content()).not.toContain(token);
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, document.cookie, location.href])',
    );
    expect(kept).not.toContain(token.slice(-20));
    await page.goBack();
    expect(await page.content()).not.toContain(token);
    expect(world.log.join('')).not.toContain(token);
  });

  test('limits a key to one company, found by a part of its name', async () => {
    const token = await create('Partner', async () => {
      await page.getByRole('radio', { name: /^Test/ }).click();
      await page.getByRole('radio', { name: /^One company/ }).click();
      await page.getByPlaceholder('Name, domain or id').fill('bor');
      await page.getByRole('option', { name: 'Borealis' }).click();
    });
    await keep();
    expect(token).toMatch(/^svc_test_/);
    expect([await status(token, '/v1/companies/com_b'), await status(token, '/v1/companies/com_a')]).toEqual([
      200, 404,
    ]);
    await page.getByRole('row', { name: /Partner.*Test.*Read.*Borealis/ }).waitFor();
  });

  test('requires a company before it creates a key for one company', async () => {
    await open();
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await page.getByLabel('Name').fill('Halfway');
    await page.getByRole('radio', { name: /^One company/ }).click();
    await dialog().getByRole('button', { name: 'Create key' }).focus();
    await page.getByRole('tooltip', { name: 'Choose a company first.' }).waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Halfway');
  });

  test('asks for an expiry date in the future, but keeps a past one when a key is edited', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const old = `Old ${randomUUID()}`;
    await create(old);
    await keep();
    await open();
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await page.getByLabel('Name').fill('Past');
    await page.getByLabel('Expiry date (optional)').fill(today);
    await dialog().getByRole('button', { name: 'Create key' }).click();
    await dialog()
      .getByRole('alert')
      .getByText(/Choose \d{4}-\d\d-\d\d or later\./)
      .waitFor();
    await world.pool.query('update api_keys set expires_at = $1 where name = $2', [
      `${today}T00:00:00Z`,
      old,
    ]);
    await page.goto(`/w/${ada.workspaceId}/keys?status=expired`);
    await act(old, 'Edit…');
    await page.getByLabel('Name').fill(`Edited ${old}`);
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().waitFor({ state: 'detached' });
    await page.getByRole('row', { name: `Edited ${old}` }).waitFor();
  });

  test('keeps the networks that somebody else has set while a key is edited', async () => {
    await create('Shared');
    await keep();
    await open();
    await act('Shared', 'Edit…');
    await page.getByLabel('Name').waitFor();
    const { rows } = await world.pool.query<{ id: string }>('select id from api_keys where name = $1', [
      'Shared',
    ]);
    const path = `/dashboard/api/workspaces/${ada.workspaceId}/keys/${rows[0]?.id}`;
    const headers = { origin: world.url };
    const networks = { allowedNetworks: ['10.0.0.0/8'] };
    expect((await page.request.patch(path, { data: networks, headers })).status()).toBe(200);
    await page.getByLabel('Name').fill('Shared by all');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: 'Shared by all' }).waitFor();
    expect(await (await page.request.get(path)).json()).toMatchObject(networks);
  });

  test('shows snippets that run unchanged', async () => {
    await create('Snippets');
    const directory = await temporaryDirectory();
    const codeOf = async (language: string): Promise<string> => {
      await page.getByRole('tab', { name: language }).click();
      await dialog()
        .getByRole('button', { name: `Copy ${language} example` })
        .click();
      return page.evaluate('navigator.clipboard.readText()');
    };
    const script = join(directory, 'snippet.mts');
    await writeFile(script, await codeOf('TypeScript'));
    const outputs = [
      await run('sh', ['-c', await codeOf('curl')]),
      await run(process.execPath, [script]),
      await run('python3', ['-c', await codeOf('Python')]),
    ];
    for (const { stdout } of outputs) expect(stdout).toMatch(/pagination/);
    await keep();
  });

  test('keeps the form if the service cannot be reached, and creates the key at the next attempt', async () => {
    await open();
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await page.getByLabel('Name').fill('Patience');
    await visitor.context.setOffline(true);
    await dialog().getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    await visitor.context.setOffline(false);
    expect(await page.getByLabel('Name').inputValue()).toBe('Patience');
    await dialog().getByRole('button', { name: 'Create key' }).click();
    await takeToken();
    await keep();
    visitor.expectNoProblems(/ERR_INTERNET_DISCONNECTED/);
  });
});
