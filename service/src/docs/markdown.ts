import { Marked, Renderer, type Token, type Tokens } from 'marked';
import { escapeHtml } from './escape.ts';
import { highlight, LANGUAGES } from './highlight.ts';

export interface MarkdownOptions {
  /** Where a link leads on the pages. */
  readonly link: (href: string) => string;
  /** Where an image is to be found. */
  readonly image: (href: string) => string;
}

/** The same example in several languages: code blocks that follow each other without a word between them. */
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

/** Markdown of ours as HTML. HTML in it is shown as text. */
export function renderMarkdown(text: string, { link, image }: MarkdownOptions): string {
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
      table(token) {
        // The table itself, in a frame that scrolls where the page is narrow.
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

/** One block as it is; several as a group, which docs.js makes into tabs. */
function examples({ blocks }: Examples): string {
  const parts = blocks.map((block) => {
    const label = labelOf(block);
    return `<div class="code" data-label="${label}"><p class="language">${label}</p><pre tabindex="0"><code>${highlight(block.text, block.lang)}</code></pre></div>\n`;
  });
  return parts.length === 1 ? parts.join('') : `<div class="examples">\n${parts.join('')}</div>\n`;
}
