import { CLIENT_PACKAGE } from './client-package.ts';
import { guideMarkdown } from './guide-markdown.ts';
import { CHANGELOG, descriptionOf, type Guide } from './guides.ts';

/** The documentation for language models (llmstxt.org): an index, and everything in one file. */

/** What a reader needs first. Every command of it works as it is written. */
const introduction = (publicUrl: string): string => `# svc

> A workspace data service: a JSON API at ${publicUrl}/v1 for the audits, mentions, content items and companies of a workspace, with API keys, exact cursor pagination, a change feed and webhooks. It also has a TypeScript library, a command line and an MCP server (\`svc mcp\`).

Every request needs an API key: \`Authorization: Bearer $SVC_API_KEY\`. You cannot create a key by the API. Ask a person of the workspace for one: they create it at ${publicUrl}/ under "API keys". A test key (\`svc_test_…\`) reads the same data as a live key (\`svc_live_…\`), but each of its writes is a dry run: it is checked and undone. A write needs a key with write access. Never put a key into a URL, a file of a project or a log.

\`\`\`sh
export SVC_BASE_URL=${publicUrl}
export SVC_API_KEY=svc_test_…
\`\`\`

Read the companies, newest first:

\`\`\`sh
curl -sS --fail-with-body -H "Authorization: Bearer $SVC_API_KEY" "$SVC_BASE_URL/v1/companies?limit=10"
\`\`\`

Create a company. The response is 201 with the record:

\`\`\`sh
curl -sS --fail-with-body -X POST "$SVC_BASE_URL/v1/companies" \\
  -H "Authorization: Bearer $SVC_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"name": "Acme"}'
\`\`\`

Create records that depend on each other in one request, all or none of them. With a test key, nothing is kept between requests, so this is the way to try such writes:

\`\`\`sh
curl -sS --fail-with-body -X POST "$SVC_BASE_URL/v1/batch" \\
  -H "Authorization: Bearer $SVC_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"operations": [
    {"method": "PUT", "path": "/v1/companies/acme-example", "body": {"name": "Acme"}},
    {"method": "POST", "path": "/v1/audits", "body": {"companyId": "acme-example", "headlineScore": 74, "completedAt": "2026-03-01T09:30:00Z"}}
  ]}'
\`\`\`

Rules that save a failed request:

- A list returns \`{"data": […], "pagination": {"nextCursor": …}}\`. Send \`nextCursor\` back as \`cursor\`, with the same filters and sort, until it is null. \`limit\` is 1 to 100.
- \`fields=id,name\` returns only these fields of each record, which saves tokens.
- Unknown parameters and fields are refused. The API reference lists those that exist.
- Times are ISO 8601, such as \`2026-03-01T09:30:00Z\`. Ids are opaque, and those in examples, such as \`com_01jq4d0e6tf3s9v2m8k5x7h1ab\`, are made up: use the ids of your own records.
- Before you create a record of a company, read its \`id\` from \`/v1/companies\`.
- Audits never change: they have no \`PATCH\` and no \`DELETE\`. A company with an audit cannot be deleted.
- A failure is \`{"error": {"code": …, "message": …}}\`. The message says what is allowed. After 429 and 503, wait as long as \`Retry-After\` says.
- The library and the command line handle pages, retries and errors: \`npm install ${publicUrl}/docs/${CLIENT_PACKAGE}\`
- Every page of the documentation is also Markdown: add \`.md\` to its URL, or send \`Accept: text/markdown\`.
`;

interface Documents {
  readonly guides: readonly Guide[];
  /** The public URL of the service, without a slash at its end. */
  readonly publicUrl: string;
}

/** The text of `/llms.txt`: what a reader needs first, and where the rest is. */
export function llmsIndex({ guides, publicUrl }: Documents): string {
  const link = (title: string, path: string, description: string): string =>
    `- [${title}](${publicUrl}${path}): ${description}`;
  return `${introduction(publicUrl)}
## Guides

${guides.map((guide) => link(guide.title, `/docs/${guide.name}.md`, descriptionOf(guide).replace(/:$/, '.'))).join('\n')}

## Reference

${link('API reference', '/docs.md', 'Every endpoint with its parameters, fields, responses and errors.')}
${link('OpenAPI document', '/openapi.json', 'The same for tools, OpenAPI 3.1.')}

## Optional

${link('Everything in one file', '/llms-full.txt', 'This page, all guides and the API reference.')}
${link('Client package', `/docs/${CLIENT_PACKAGE}`, 'The TypeScript library and the command line `svc`, for npm.')}
`;
}

/** The text of `/llms-full.txt`: the same, all guides without the changelog, and the API reference, which is Markdown. */
export const llmsFull = ({ guides, publicUrl }: Documents, reference: string): string =>
  [
    introduction(publicUrl),
    ...guides
      .filter(({ name }) => name !== CHANGELOG)
      .map((guide) => guideMarkdown(guide, guides, publicUrl)),
    reference,
  ].join('\n');
