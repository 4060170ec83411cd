import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const HEAD =
  "import { Svc, SvcNotFoundError, verifyWebhook, type ApiKey, type Audit, type AuditLogEntry, type Change, type Content, type NewerValue } from '@svc/sdk';\nconst svc = new Svc();\n";

/** What a user of the client may write. */
const COMPILES = [
  "const page = await svc.audits.list({ limit: 10, sort: 'score-descending', companyId: 'com_a' }); const n: number | undefined = page.data[0]?.headlineScore; export { n };",
  "for await (const item of svc.content.list({ status: 'draft' })) { const url: string | null = item.url; void url; }",
  "for await (const entry of svc.auditLog.tail({ kind: 'key.revoked', after: 'now' })) { const id: string = entry.id; void id; }",
  "for await (const { title } of svc.mentions.tail({ q: 'acme', source: 'news.example.com', follow: false })) void title;",
  'const all: Audit[] = await svc.audits.list().before().toArray({ max: 5 }); export { all };',
  'await svc.audits.list({ signal: AbortSignal.timeout(1), retries: 0, timeoutMs: 1, sort: undefined, companyId: undefined });',
  "await svc.audits.create({ companyId: 'com_a', headlineScore: 1, completedAt: '2026-01-01T00:00:00Z' });",
  "await svc.audits.create({ id: 'aud_mine', companyId: 'com_a', headlineScore: 1, completedAt: '2026-01-01T00:00:00Z' });",
  "const item: Content = await svc.content.create({ companyId: 'com_a', title: 'T' }); await svc.content.update(item.id, { status: 'in_review', url: null }, { ifMatch: item });",
  "await svc.mentions.delete('men_a', { ifMatch: '\"etag\"' });",
  'const { count } = await svc.audits.count({ approximate: true }); const n: number = count; export { n };',
  "await svc.audits.get('aud_a').catch((error: unknown) => { if (error instanceof SvcNotFoundError) return error.requestId; throw error; });",
  "const change: Change | undefined = (await svc.changes.list({ after: 'now', wait: 5, resource: 'content' })).data[0]; const position: string = (await svc.changes.list()).pagination.position; export { change, position };",
  "for await (const change of svc.changes.tail({ after: 'now', type: 'content.updated' })) { if (change.type === 'content.updated') { const fields: readonly string[] = change.changed; const { title }: Content = change.record; void [fields, title]; } if (change.resource === 'audits') { const audit: Audit = change.record; void audit; } if (change.type === 'quota.reached') { const used: number = change.record.used; void used; } if (change.type === 'import.finished') { const finished: boolean = change.record.finished; void finished; } if (change.type === 'key.revoked') { const key: ApiKey = change.record; void key; } if (change.type === 'endpoint.disabled') { const origin: string = change.record.origin; void origin; } if (change.type === 'company.deleted') { const none: null = change.record; void none; } }",
  "const stream = svc.changes.stream({ after: 'now', resource: 'content', signal: AbortSignal.timeout(1) }); for await (const change of stream) { if (change.type === 'content.updated') { const { title }: Content = change.record; void title; } } const position: string = stream.position; export { position };",
  "const event = await verifyWebhook('', {}, ''); if (event.type === 'content.updated') { const { title }: Content = event.data.record; const fields: readonly string[] = event.data.changed; void [title, fields]; } if (event.type === 'quota.reached') { const percent: number = event.data.record.percent; void percent; } if (event.type === 'endpoint.test') { const message: string = event.data.record.message; void message; } if (event.data.resource === 'audits') { const audit: Audit = event.data.record; void audit; } const id: string = event.data.id; export { id };",
  "const f = (entry: AuditLogEntry) => { if (entry.kind === 'api.request') { const method: string = entry.method; const status: number = entry.status; return [method, status]; } if (entry.kind === 'member.role_changed') { const field: 'role' | undefined = entry.changes?.[0]?.field; const target: 'member' | undefined = entry.targetType; return [field, target]; } if (entry.kind === 'key.created') { const mode = entry.details?.mode; return [mode]; } const method: string | undefined = entry.method; return [method]; }; export { f };",
  "const f = (entry: AuditLogEntry) => { switch (entry.kind) { case 'api.request': return entry.path; default: { const kind: string = entry.kind; return kind; } } }; export { f };",
  "const f = (change: Change): string => { switch (change.type) { case 'content.updated': return change.record.title; default: return change.type; } }; export { f };",
  "const f = (change: Change): NewerValue | undefined => change.resource === 'workspace' || change.resource === 'audits' || change.resource === 'companies' || change.resource === 'content' || change.resource === 'mentions' ? undefined : change.type; export { f };",
  "for await (const entry of svc.auditLog.list({ kind: 'api.request' })) { if (entry.kind === 'api.request') { const n: number = entry.durationMs; void n; } }",
  "const { data, response } = await svc.audits.get('aud_a').withResponse(); const id: string = data.id; const left: number | undefined = response.rateLimit.burst?.remaining; export { id, left };",
  "const { responses } = await svc.companies.createMany([{ name: 'A' }]).withResponse(); const page = await svc.audits.list().withResponse(); const cursor: string | null = page.data.pagination.nextCursor; export { responses, cursor };",
  "new Svc({ apiKey: async () => 'x', defaultHeaders: { 'X-A': 'b' }, fetchOptions: { dispatcher: {} }, logLevel: 'info', logger: console }); await svc.audits.list({ headers: { 'X-A': 'b' } });",
  "for await (const audit of svc.audits.select('headlineScore').list({ sort: 'score-descending' })) { const n: number = audit.headlineScore; const id: string = audit.id; void [n, id]; } const { name } = await svc.companies.select('name').get('com_a'); for await (const { id } of svc.content.select('id').export({ status: 'draft', q: 'launch' })) void id; export { name };",
  "for await (const { title } of svc.mentions.export({ source: 'news.example.com', q: 'acme' })) void title;",
  "for (const resource of ['audits', 'companies'] as const) { const page = await svc[resource].list({ limit: 1 }); const id: string | undefined = page.data[0]?.id; void id; }",
  "const headers: { forEach(callback: (value: string, name: string) => void): void } = new Headers(); await verifyWebhook('', headers, ''); await verifyWebhook('', new Headers(), '');",
  'new Svc({ fetch });',
  'new Svc({ fetch: async (url, init) => fetch(url, init) });',
  'function f(client: Svc) { return client.companies.list(); } void f;',
];

/** What the compiler must refuse. */
const REFUSED = [
  "await svc.audits.select('name').list();",
  "const { companyId } = await svc.audits.select('headlineScore').get('aud_a'); void companyId;",
  'svc.audits.select();',
  "await svc.apiKeys.select('name').export();",
  "svc.audits.export({ q: 'acme' });",
  "svc.audits.tail({ q: 'acme' });",
  "svc.changes.tail({ q: 'acme' });",
  "svc.audits.select('id').export({ q: 'acme' });",
  "await svc.audits.list({ sort: 'score' });",
  "await svc.audits.list({ sort: 'published-descending' });",
  "await svc.content.list({ sort: 'created-descending' });",
  "await svc.audits.list({ compnayId: 'com_a' });",
  "await svc.audits.list({ status: 'draft' });",
  "await svc.content.list({ status: 'drafts' });",
  "await svc.companies.list({ companyId: 'com_a' });",
  "await svc.auditLog.list({ kind: 'key.made' });",
  "await svc.audits.list({ limit: '10' });",
  'await svc.audits.list().toArray();',
  'await svc.mentions.count();',
  "await svc.audits.update('aud_a', {});",
  "await svc.audits.delete('aud_a');",
  "await svc.apiKeys.create({ name: 'mine' });",
  "await svc.auditLog.delete('log_a');",
  "await svc.audits.list({ after: 'now' });",
  "await svc.changes.list({ type: 'content.made' });",
  "await svc.changes.tail({ resource: 'keys' });",
  'svc.audits.stream();',
  'svc.changes.stream({ follow: false });',
  'const page = await svc.audits.list(); const position: string = page.pagination.position; export { position };',
  "const f = (change: Change) => change.type === 'content.created' && change.changed.length; export { f };",
  "const f = (change: Change) => change.resource === 'content' && change.record.title; export { f };",
  "const f = (change: Change) => change.type === 'audit.deleted'; export { f };",
  "const f = (change: Change) => change.type === 'quota.reached' && change.record.url; export { f };",
  "const event = await verifyWebhook('', {}, ''); if (event.type === 'quota.reached') event.data.record.title;",
  "const event = await verifyWebhook('', {}, ''); if (event.type === 'content.made') throw new Error();",
  "await svc.audits.create({ companyId: 'com_a', headlineScore: 1 });",
  "await svc.audits.create({ companyId: 'com_a', headlineScore: '1', completedAt: '' });",
  "await svc.companies.create({ name: 'A', createdAt: '' });",
  "await svc.content.update('con_a', { status: 'gone' });",
  "await svc.content.update('con_a', { id: 'con_b' });",
  'const page = await svc.audits.list(); const x: string | undefined = page.data[0]?.headlineScore; export { x };',
  '(await svc.audits.list()).data.push();',
  'svc.audit.list();',
  'new Svc({ apikey: "x" });',
  "const f = (entry: AuditLogEntry) => entry.kind === 'key.created' && entry.method.length; export { f };",
  "const f = (entry: AuditLogEntry) => entry.kind === 'key.created' && entry.details?.role; export { f };",
  "const f = (entry: AuditLogEntry) => entry.kind === 'key.made'; export { f };",
  "const f = (change: Change) => { switch (change.resource) { case 'workspace': case 'audits': case 'companies': case 'content': case 'mentions': return; default: { const none: never = change; void none; } } }; export { f };",
  "new Svc({ logLevel: 'loud' });",
  "new Svc({ fetchOptions: { method: 'POST' } });",
];

/** Compiles each text as its own file. Resolves with the errors. */
async function errorsOf(
  texts: readonly string[],
  lib: readonly string[],
  types: readonly string[],
): Promise<string> {
  const directory = await temporaryDirectory();
  await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  await Promise.all(
    texts.map((text, i) => writeFile(join(directory, `case-${i}.ts`), `${HEAD}${text}\nexport {};\n`)),
  );
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module: 'nodenext',
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    lib,
    types,
  };
  await writeFile(join(directory, 'package.json'), '{"type":"module"}');
  await writeFile(
    join(directory, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['case-*.ts'] }),
  );
  const output = await promisify(execFile)(process.execPath, [
    join(ROOT, 'node_modules/typescript/bin/tsc'),
    '-p',
    directory,
  ]).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
  const elsewhere = output
    .split('\n')
    .filter((line) => /^\S/.test(line) && !/^(?:\S*\/)?case-\d+\.ts\(/.test(line));
  expect(elsewhere).toEqual([]);
  return output;
}

/** The indexes of the texts with errors. */
async function refused(...args: Parameters<typeof errorsOf>): Promise<readonly number[]> {
  const output = await errorsOf(...args);
  return [...new Set([...output.matchAll(/case-(\d+)\.ts\(/g)].map(([, index]) => Number(index)))].sort(
    (a, b) => a - b,
  );
}

const NODE = [['es2023'], ['node']] as const;
const BROWSER = [['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'], []] as const;

test.each([
  ['Node.js', ...NODE],
  ['a browser', ...BROWSER],
])('what a user of the client may write compiles, with the types of %s', async (_, lib, types) => {
  expect((await refused(COMPILES, lib, types)).map((index) => COMPILES[index])).toEqual([]);
});

test('an unknown sort, a misspelt filter and a method that a resource does not have do not compile', async () => {
  const found = await refused(REFUSED, ...NODE);
  expect(REFUSED.filter((_, index) => !found.includes(index))).toEqual([]);
});

test('a wrong record among many has one short error, which names the types of its fields', async () => {
  const wrong = [
    "await svc.audits.createMany([{ companyId: 'com_a', headlineScore: '7', completedAt: '' }]);",
    "await svc.companies.updateMany([{ id: 'com_a', nam: 'A' }]);",
    'await svc.companies.deleteMany([7]);',
  ];
  const lines = (await errorsOf(wrong, ...NODE)).trimEnd().split('\n');
  expect(lines).toEqual([
    expect.stringMatching(/case-0\.ts.*: Type 'string' is not assignable to type 'number'\.$/),
    expect.stringMatching(
      /case-1\.ts.*'nam' does not exist in type '[^']*domain\?: string \| null \| undefined/,
    ),
    expect.stringMatching(/case-2\.ts.*: Type 'number' is not assignable to type 'string'\.$/),
  ]);
});
