import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import http from 'highlight.js/lib/languages/http';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import { escapeHtml } from './escape.ts';

/** The languages of the guides' code blocks, by the word behind the fence. */
export const LANGUAGES: Readonly<Record<string, { readonly label: string; readonly grammar: string }>> = {
  sh: { label: 'Shell', grammar: 'bash' },
  ts: { label: 'TypeScript', grammar: 'typescript' },
  python: { label: 'Python', grammar: 'python' },
  json: { label: 'JSON', grammar: 'json' },
  http: { label: 'HTTP', grammar: 'http' },
};

const GRAMMARS = { bash, http, json, python, typescript };
for (const [name, grammar] of Object.entries(GRAMMARS)) hljs.registerLanguage(name, grammar);

/** Code as HTML, its parts in spans of a class each. */
export function highlight(code: string, language = ''): string {
  const grammar = LANGUAGES[language]?.grammar;
  return grammar === undefined ? escapeHtml(code) : hljs.highlight(code, { language: grammar }).value;
}
