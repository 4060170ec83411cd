import type { Plugin } from 'vite';

const STYLESHEET = /\s*<link rel="stylesheet"[^>]*>/g;

/**
 * Moves the stylesheet of the pages to the end of index.html. The browser paints the frame before the file arrives, and
 * still runs the script only after it.
 */
export function lateStyles(): Plugin {
  return {
    name: 'svc:late-styles',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html) => {
        const links = html.match(STYLESHEET) ?? [];
        if (links.length === 0) throw new Error('index.html has no stylesheet');
        return html.replace(STYLESHEET, '').replace('</body>', `${links.join('').trim()}\n  </body>`);
      },
    },
  };
}
