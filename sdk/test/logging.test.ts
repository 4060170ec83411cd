import { type LogDetails, type Logger, type LogLevel, Svc, SvcError, type SvcOptions } from '@svc/sdk';
import { createTestService } from '@svc/service/harness/service.ts';
import { listen } from '@svc/service/harness/socket.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { fetchOf, IN_PROCESS_URL, instantPauses } from './client.ts';
import { failing } from './faults.ts';

const service = await createTestService();
const workspaceId = await service.workspace();
const token = await service.token(workspaceId, { access: 'write' });
const baseUrl = await listen(service);

interface Line {
  readonly level: string;
  readonly message: string;
  readonly details: LogDetails;
}

function recorder(): { readonly lines: Line[]; readonly logger: Logger } {
  const lines: Line[] = [];
  const at = (level: string) => (message: string, details: LogDetails) => {
    lines.push({ level, message, details });
  };
  return { lines, logger: { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') } };
}

/** What a client logs while it reads one page, and then gets a 404. */
async function logged(logLevel: LogLevel | undefined, options: SvcOptions = {}): Promise<readonly Line[]> {
  const { lines, logger } = recorder();
  const svc = new Svc({ apiKey: token, baseUrl, logLevel, logger, ...options });
  await svc.companies.list({ limit: 1 });
  await svc.companies.get('com_none').catch(() => undefined);
  return lines;
}

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe('the log', () => {
  test.each([
    ['off', []],
    ['error', ['error']],
    ['warn', ['error']],
    ['info', ['info', 'info', 'error']],
    ['debug', ['debug', 'info', 'debug', 'info', 'error']],
  ] as const)('of the level %s has the lines %s', async (level, levels) => {
    expect((await logged(level)).map((line) => line.level)).toEqual(levels);
  });

  test('has method, path, status, time and request id of each response', async () => {
    const [line] = await logged('info');
    expect(line?.message).toMatch(/^GET \/v1\/companies\?limit=1 200 in \d+ ms$/);
    expect(line?.details).toEqual({
      method: 'GET',
      path: '/v1/companies?limit=1',
      status: 200,
      durationMs: expect.any(Number),
      requestId: expect.stringMatching(/^req_/),
    });
  });

  test('has the headers of requests and responses with the level debug', async () => {
    const [request, response] = await logged('debug');
    expect(request?.details.headers).toMatchObject({ accept: 'application/json', authorization: '…' });
    expect(response?.details.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8' });
  });

  test('never has a token or another secret, wherever it is', async () => {
    const { lines, logger } = recorder();
    const svc = new Svc({
      apiKey: token,
      baseUrl,
      logLevel: 'debug',
      logger,
      retries: 0,
      defaultHeaders: { 'X-Api-Key': 'hunter2', Cookie: 'session=hunter2', 'X-Note': `for ${token}` },
    });
    await svc.companies.create({ name: 'A' }, { idempotencyKey: 'shown' });
    await svc.request('GET', `/v1/companies?key=${token}`).catch(() => undefined);
    await svc.request('GET', `/v1/${token}`).catch(() => undefined);
    const text = JSON.stringify(lines);
    expect(text).toContain('"idempotency-key":"shown"');
    expect(text).toContain('"x-note":"for svc_live_…"');
    expect(text).not.toContain(token.slice('svc_live_'.length));
    expect(text).not.toContain('hunter2');
  });

  test('has each retry and the failure in the end', async () => {
    const { lines, logger } = recorder();
    const fetch = failing(fetchOf(service.app), 9);
    const { timing } = instantPauses();
    const svc = new Svc({
      apiKey: token,
      baseUrl: IN_PROCESS_URL,
      fetch,
      retries: 2,
      timing,
      logLevel: 'warn',
      logger,
    });
    await expect(svc.companies.list()).rejects.toThrow(SvcError);
    expect(lines.map(({ level, message }) => [level, message.replace(/\d+ ms/, 'N ms')])).toEqual([
      ['warn', expect.stringMatching(/^GET \/v1\/companies is retried in N ms: .* ECONNREFUSED\.$/)],
      ['warn', expect.stringMatching(/^GET \/v1\/companies is retried in N ms: /)],
      ['error', expect.stringMatching(/^GET \/v1\/companies failed: /)],
    ]);
  });

  test('is that of SVC_LOG, and of the option if there is one', async () => {
    vi.stubEnv('SVC_LOG', 'info');
    expect((await logged(undefined)).map(({ level }) => level)).toEqual(['info', 'info', 'error']);
    expect(await logged('off')).toEqual([]);
    vi.stubEnv('SVC_LOG', 'everything');
    expect(() => new Svc({ apiKey: token })).toThrow(
      'SVC_LOG must be one of off, error, warn, info, debug, not "everything".',
    );
  });

  test('is written to standard error without a logger, and nowhere without a level', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await logged(undefined, { logger: undefined });
    expect(printed).not.toHaveBeenCalled();
    await logged('info', { logger: undefined });
    expect(printed).toHaveBeenCalledWith(
      expect.stringMatching(/^svc: GET \/v1\/companies\?limit=1 200 in/),
      expect.objectContaining({ status: 200 }),
    );
  });

  test('with a mistake does not change the call', async () => {
    const broken = (): never => {
      throw new Error('a mistake');
    };
    const logger = { error: broken, warn: broken, info: broken, debug: broken };
    const svc = new Svc({ apiKey: token, baseUrl, logLevel: 'debug', logger });
    expect((await svc.companies.list()).data).toBeDefined();
  });
});
