import { expect, test } from 'vitest';
import { renderMarkdown } from '../src/markdown.ts';

const render = (text: string): string =>
  renderMarkdown(text, { link: (href) => `/to/${href}`, image: (href) => `/files/${href}` });

test('HTML in a document is shown as text', () => {
  const html = render('<script>alert(1)</script>\n\nA <img src=x onerror=alert(1)> and `<b>`.');
  expect(html).not.toMatch(/<(?:script|img|b)\b/);
  expect(html).toContain('&#60;script&#62;');
});

test('links and images get the URLs of the pages, and headings can be linked to', () => {
  const html = render('## When to *try* again\n\n[Errors](errors.md) ![Gaps](gaps.svg)');
  expect(html).toContain(
    '<h2 id="when-to-try-again"><a href="#when-to-try-again">When to <em>try</em> again',
  );
  expect(html).toContain('<a href="/to/errors.md">Errors</a>');
  expect(html).toContain('src="/files/gaps.svg" alt="Gaps"');
});

test('consecutive examples are one group, and text between two examples starts another group', () => {
  const code = (language: string): string => `\`\`\`${language}\ncurl x\n\`\`\`\n\n`;
  const html = render(`${code('sh')}${code('ts')}${code('python')}A word.\n\n${code('json')}`);
  expect(html.match(/class="examples"/g)).toHaveLength(1);
  expect([...html.matchAll(/data-label="(\w+)"/g)].map(([, label]) => label)).toEqual([
    'curl',
    'TypeScript',
    'Python',
    'JSON',
  ]);
});

test('code gets classes for its colors, and HTML in it is shown as text', () => {
  const html = render('```ts\nconst a = "<b>";\n```\n\n```unknown\n<b>\n```');
  expect(html).toContain('<span class="hljs-keyword">const</span>');
  expect(html).not.toContain('<b>');
});
