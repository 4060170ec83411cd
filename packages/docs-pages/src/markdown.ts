import { ERRORS } from '@svc/sdk/contract';
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import http from 'highlight.js/lib/languages/http';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import { Marked, Renderer, type Token, type Tokens } from 'marked';
import { escapeHtml } from './page.ts';

export interface MarkdownOptions {
  /** Returns the URL of a link on the pages. */
  readonly link: (href: string) => string;
  /** Returns the URL of an image. */
  readonly image: (href: string) => string;
}

/** The same example in several languages: consecutive code blocks with no text between them. */
interface Examples {
  readonly type: 'examples';
  readonly raw: string;
  readonly blocks: readonly Tokens.Code[];
}

/** `No record is skipped` → `no-record-is-skipped` */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/\s+/g, '-');

/** The first cell of a row about an error code. The row is its anchor. */
const CODE_CELL = /^<td><code>([a-z_]+)<\/code>/;

/** Renders Markdown of this repository as HTML. HTML in it is shown as text. */
export function renderMarkdown(text: string, { link, image }: MarkdownOptions): string {
  const anchored = new Set<string>();
  const marked = new Marked({
    renderer: {
      html: ({ text }) => escapeHtml(text),
      heading({ tokens, depth, text }) {
        const anchor = anchorOf(text);
        const inner = this.parser.parseInline(tokens);
        return depth === 1
          ? `<h1>${inner}</h1>\n`
          : `<h${depth} id="${anchor}"><a href="#${anchor}">${inner}</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        return `<a href="${escapeHtml(link(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      image: ({ href, text }) =>
        `<img class="drawing" src="${escapeHtml(image(href))}" alt="${escapeHtml(text)}">`,
      tablerow({ text }) {
        const [, code = ''] = CODE_CELL.exec(text) ?? [];
        if (!Object.hasOwn(ERRORS, code) || anchored.has(code)) return `<tr>\n${text}</tr>\n`;
        anchored.add(code);
        return `<tr id="${code}">\n${text}</tr>\n`;
      },
      table(token) {
        // The frame scrolls on narrow screens.
        return `<div class="table" tabindex="0">${Renderer.prototype.table.call(this, token)}</div>\n`;
      },
    },
    extensions: [{ name: 'examples', renderer: (token) => examples(token as unknown as Examples) }],
  });
  return marked.parser(joinExamples(marked.lexer(text)));
}

function joinExamples(tokens: readonly Token[]): Token[] {
  const joined: Token[] = [];
  for (const token of tokens) {
    const last = joined.at(-1);
    if (token.type === 'code') {
      const blocks = last?.type === 'examples' ? (last as unknown as Examples).blocks : [];
      if (blocks.length > 0) joined.pop();
      joined.push({ type: 'examples', raw: '', blocks: [...blocks, token as Tokens.Code] });
    } else if (token.type !== 'space' || last?.type !== 'examples') joined.push(token);
  }
  return joined;
}

const labelOf = ({ lang = '', text }: Tokens.Code): string => {
  if (lang === 'sh' && text.includes('curl ')) return 'curl';
  if (lang === 'sh' && /\bsvc [a-z]/.test(text)) return 'svc';
  return LANGUAGES[lang]?.label ?? 'Text';
};

/** Renders one block as it is, and several blocks as a group that docs.js turns into tabs. */
function examples({ blocks }: Examples): string {
  const parts = blocks.map((block) => {
    const label = labelOf(block);
    return `<div class="code" data-label="${label}"><p class="language">${label}</p><pre tabindex="0"><code>${highlight(block.text, block.lang)}</code></pre></div>\n`;
  });
  return parts.length === 1 ? parts.join('') : `<div class="examples">\n${parts.join('')}</div>\n`;
}

/** The languages of code blocks, by the word after the fence. */
const LANGUAGES: Readonly<Record<string, { readonly label: string; readonly grammar: string }>> = {
  sh: { label: 'Shell', grammar: 'bash' },
  ts: { label: 'TypeScript', grammar: 'typescript' },
  python: { label: 'Python', grammar: 'python' },
  json: { label: 'JSON', grammar: 'json' },
  http: { label: 'HTTP', grammar: 'http' },
};

const GRAMMARS = { bash, http, json, python, typescript };
for (const [name, grammar] of Object.entries(GRAMMARS)) hljs.registerLanguage(name, grammar);

/** Code as HTML, with a class for each kind of token. */
function highlight(code: string, language = ''): string {
  const grammar = LANGUAGES[language]?.grammar;
  return grammar === undefined ? escapeHtml(code) : hljs.highlight(code, { language: grammar }).value;
}
