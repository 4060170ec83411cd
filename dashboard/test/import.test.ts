import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { expectAccessible } from './harness/accessible.ts';
import { expectAbove } from './harness/in-view.ts';
import { BROWSER_PATH } from './harness/launch.ts';
import { createServiceWorld } from './harness/service-world.ts';

/** About 9 MB: more than the buffers between browser and service hold. */
const LARGE_LINES = 300_000;

// Skipped without Chromium, which is an error in CI.
describe.skipIf(BROWSER_PATH === undefined)('importing a file', async () => {
  if (BROWSER_PATH === undefined) return;
  const { dashboard, open, service } = await createServiceWorld({ asForPeople: true });
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  const viewer = await dashboard.member(workspaceId, 'viewer');
  const companies = `/w/${workspaceId}/data/companies`;
  const audits = `/w/${workspaceId}/data/audits`;
  const csv = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

  test('shows a preview, imports the valid lines, and lists the invalid ones with number and reason', async () => {
    const page = await open(owner, companies);
    await page.getByText('No companies yet').waitFor();
    await page.getByRole('button', { name: 'Import a file' }).click();
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles(
        csv('companies.csv', 'id,name,domain\ncom_a,"Acme, Ltd",acme.example\ncom_b,Borealis,\n'),
      );
    await page.getByRole('cell', { name: 'Acme, Ltd' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('2 companies imported, none refused.').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name: 'Acme, Ltd' }).waitFor();

    await page.getByRole('link', { name: 'Audits' }).click();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const good = 'com_a,70,2026-03-01T00:00:00Z';
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles(
        csv(
          'audits.csv',
          `companyId,headlineScore,completedAt\n${good}\ncom_a,170,2026-03-01T00:00:00Z\ncom_z,1,2026-03-01T00:00:00Z\n${good}\n`,
        ),
      );
    await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('2 audits imported, 2 refused.').waitFor();
    await page.getByRole('row', { name: /^3 headlineScore must be an integer from 0 to 100/ }).waitFor();
    await page.getByRole('row', { name: /^4 companyId/ }).waitFor();
    await expectAccessible(page);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download list' }).click(),
    ]);
    expect((await readFile(await download.path(), 'utf8')).trimEnd().split('\n')).toHaveLength(2);
  });

  test('maps columns, marks the cells that would be refused, and says beforehand what it would do', async () => {
    const page = await open(owner, audits, { theme: 'dark', width: 360 });
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const text = [
      'id;Company;score;completed_at;note',
      'aud_map_1;com_a;71;2026-03-01T00:00:00Z;x',
      'aud_map_2;com_a;171;2026-03-01T00:00:00Z;x',
    ].join('\n');
    await page.getByLabel('File', { exact: true }).setInputFiles(csv('other.csv', text));
    await page.getByText('Missing columns: headlineScore').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Field of the column score').selectOption('headlineScore');
    await page.getByRole('row', { name: /aud_map_2 .*171 must be an integer from 0 to 100/ }).waitFor();
    await expectAccessible(page);
    const check = page.getByRole('button', { name: 'Check file' });
    await check.click();
    await page.getByText('1 audit will be created, 0 exist and stay as they are, 1 invalid.').waitFor();
    await expectAccessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('1 audit imported, 1 refused.').waitFor();
  });

  test('shows the result of a check, also if the dialog has to scroll', async () => {
    const page = await open(owner, companies);
    await page.setViewportSize({ width: 1280, height: 400 });
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByLabel('File', { exact: true }).setInputFiles(csv('more.csv', 'name\nMore\n'));
    await page.getByRole('button', { name: 'Check file' }).click();
    await expectAbove(
      page.getByText('1 company will be created'),
      page.getByRole('button', { name: 'Check file' }),
    );
  });

  test('replaces existing records only after a check that says how many', async () => {
    const page = await open(owner, companies);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const file = csv('again.csv', 'id,name\ncom_a,"Acme, Limited"\ncom_new,New\n');
    await page.getByLabel('File', { exact: true }).setInputFiles(file);
    await page.getByRole('checkbox', { name: 'Replace records whose id exists' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).focus();
    await page.getByRole('tooltip', { name: /Check the file first/ }).waitFor();
    await page.getByRole('button', { name: 'Check file' }).click();
    await page.getByText('1 company will be created, 1 exists and will be replaced, 0 invalid.').waitFor();
    await page.getByRole('button', { name: 'Import and replace 1 company' }).click();
    await page.getByText('1 company imported, 1 replaced, none refused.').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name: 'Acme, Limited' }).waitFor();
  });

  test('refuses an Excel workbook before the upload', async () => {
    const page = await open(owner, companies);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const buffer = Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(1000, 0xfe)]);
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles({ name: 'table.xlsx', mimeType: 'application/zip', buffer });
    await page.getByRole('alert').getByText('Save the sheet as “CSV UTF-8”', { exact: false }).waitFor();
    await expectAccessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).focus();
    await page.getByRole('tooltip', { name: /This file cannot be imported/ }).waitFor();
  });

  test('does not block the page with a file of 60 MB in one line', async () => {
    const page = await open(owner, companies);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    const transfer = await page.evaluateHandle(() => {
      const data = new DataTransfer();
      data.items.add(new File(['x'.repeat(60_000_000)], 'long.csv'));
      return data;
    });
    const tasks = await page.evaluateHandle((data) => {
      const entries: PerformanceEntry[] = [];
      const observer = new PerformanceObserver((list) => entries.push(...list.getEntries()));
      observer.observe({ type: 'longtask' });
      const input = document.querySelector<HTMLInputElement>('input[type=file]');
      if (input === null) throw new Error('There is no input.');
      input.files = data.files;
      input.dispatchEvent(new Event('change', { bubbles: true }));
      return { entries, observer, from: performance.now() };
    }, transfer);
    await page.getByRole('alert').getByText('The first line is longer than', { exact: false }).waitFor();
    const longest = await tasks.evaluate(({ entries, observer, from }) => {
      const later = [...entries, ...observer.takeRecords()].filter(({ startTime }) => startTime >= from);
      return Math.max(0, ...later.map(({ duration }) => duration));
    });
    expect(longest).toBeLessThan(300);
  });

  test('starts when a file is dropped on the page', async () => {
    const page = await open(owner, companies);
    await page.getByRole('link', { name: 'Borealis' }).waitFor();
    const transfer = await page.evaluateHandle(() => {
      const data = new DataTransfer();
      data.items.add(new File(['{"name":"Dropped"}\n'], 'more.ndjson'));
      return data;
    });
    await page.getByRole('table').dispatchEvent('drop', { dataTransfer: transfer });
    await page.getByRole('cell', { name: 'Dropped' }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('1 company imported').waitFor();
  });

  test('shows the progress of a large file, and can be stopped: “Try again” adds the rest', async () => {
    const page = await open(owner, audits);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const line = 'com_a,70,2026-03-01T00:00:00Z\n';
    const file = csv('large.csv', `companyId,headlineScore,completedAt\n${line.repeat(LARGE_LINES)}`);
    await page.getByLabel('File', { exact: true }).setInputFiles(file);
    await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
    const bar = page.getByRole('progressbar', { name: 'Import of large.csv' });
    await expect
      .poll(async () => Number(await bar.getAttribute('aria-valuenow')), { timeout: 30_000 })
      .toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('alert').getByText('Records that were written stay', { exact: false }).waitFor();
    // The service still writes the lines that have arrived.
    await expect
      .poll(() => service.log.some((line) => line.includes('an import broke off')), { timeout: 60_000 })
      .toBe(true);
    const written = async (): Promise<number> => {
      const { rows } = await service.pool.query<{ n: number }>(
        'select records as n from record_counts where workspace_id = $1 and resource = $2 and company_id = $3',
        [workspaceId, 'audits', ''],
      );
      return rows[0]?.n ?? 0;
    };
    // The earlier tests have imported three.
    const stopped = (await written()) - 3;
    expect(stopped).toBeLessThan(LARGE_LINES);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page
      .getByText(
        `${LARGE_LINES.toLocaleString('en')} audits imported, ${stopped.toLocaleString('en')} of them by an earlier attempt, none refused.`,
      )
      .waitFor({ timeout: 60_000 });
    expect(await written()).toBe(3 + LARGE_LINES);
  });

  test('says that the file is still being imported; later, “Try again” shows the result', async () => {
    const page = await open(owner, companies);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByLabel('File', { exact: true }).setInputFiles(csv('once.csv', 'name\nOnce\n'));
    const keys: (string | undefined)[] = [];
    page.on('request', (request) => {
      // The preview is checked by dry runs.
      if (/\/imports\/(?!.*dryRun)/.test(request.url())) keys.push(request.headers()['idempotency-key']);
    });
    let lost = true;
    const lose = ({ url = '' }: IncomingMessage, response: ServerResponse): void => {
      if (!lost || !/\/imports\/(?!.*dryRun)/.test(url)) return;
      response.end = () => {
        response.destroy();
        return response;
      };
    };
    service.app.server.prependListener('request', lose);
    await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    lost = false;
    // Mark the first request as still running.
    const hold = (until: string) =>
      service.pool.query(`update imports set active_until = ${until} where workspace_id = $1`, [workspaceId]);
    await hold(`clock_timestamp() + interval '1 hour'`);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('alert').getByText('This file is still being imported.').waitFor();
    await expectAccessible(page);
    await hold('null');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('1 company imported').waitFor();
    await page.getByRole('button', { name: 'Import another file' }).click();
    await page.getByLabel('File', { exact: true }).setInputFiles(csv('once.csv', 'name\nOnce\n'));
    await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('1 company imported, none refused.').waitFor();
    // All attempts with a file have the same key. Choosing a file creates a new one.
    expect(keys.map((key) => keys.indexOf(key))).toEqual([0, 0, 0, 3]);
  });

  test('is not allowed for viewers', async () => {
    const page = await open(viewer, companies);
    await page.getByRole('button', { name: 'Import', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('tooltip', { name: /Only owners and admins can import records/ }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});
