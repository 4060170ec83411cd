import { describe, expect, test } from 'vitest';
import { PUBLIC_URL } from '../../test/harness/dashboard.ts';
import { createTestService } from '../../test/harness/service.ts';

const { app } = await createTestService();
const get = (url: string) => app.inject({ url });

describe('the page behind the links', () => {
  test.each(['set-up', 'sign-in', 'invitation'])('is served at /dashboard/%s', async (entrance) => {
    const answer = await get(`/dashboard/${entrance}`);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.body).toContain('<title>svc</title>');
  });

  test('is where /dashboard leads', async () => {
    for (const path of ['/dashboard', '/dashboard/']) {
      const answer = await get(path);
      expect([answer.statusCode, answer.headers.location]).toEqual([302, `${PUBLIC_URL}/dashboard/sign-in`]);
    }
  });

  test('runs no script and style but its own files, and none of them leaves this origin', async () => {
    const { body } = await get('/dashboard/sign-in');
    expect(body).not.toMatch(/<script(?![^>]* src="page\/page\.js")|<style|\son\w+=|style="|https?:\/\//);
    for (const [file, type] of [
      ['page.js', 'text/javascript; charset=utf-8'],
      ['dom.js', 'text/javascript; charset=utf-8'],
      ['page.css', 'text/css; charset=utf-8'],
    ]) {
      const answer = await get(`/dashboard/page/${file}`);
      expect([answer.statusCode, answer.headers['content-type']], file).toEqual([200, type]);
      expect(answer.body).not.toMatch(/https?:\/\/|innerHTML|eval\(/);
    }
  });

  test('may do nothing that it does not need, and be framed by nobody', async () => {
    for (const url of ['/dashboard/sign-in', '/dashboard/page/page.js', '/dashboard/api/me']) {
      const { headers } = await get(url);
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|upgrade-insecure-requests|https?:|\*/);
      expect(headers).toMatchObject({ 'x-frame-options': 'DENY', 'referrer-policy': 'same-origin' });
      expect(headers['strict-transport-security']).toBeUndefined();
    }
  });
});

describe('the rest of the service', () => {
  test('has none of the dashboard’s headers', async () => {
    for (const url of ['/v1/audits', '/healthz', '/nothing']) {
      expect((await get(url)).headers['content-security-policy'], url).toBeUndefined();
    }
  });
});
