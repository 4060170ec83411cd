import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressed } from './build/compressed.ts';
import { pageList } from './build/page-list.ts';

/** Where `npm run dev` finds a running service; start it with SVC_PUBLIC_URL=http://127.0.0.1:5173. */
const SERVICE = 'http://127.0.0.1:8080';

/** A module in so many pages' code is loaded with the first of them. */
const SHARED_BY_PAGES = 4;

export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that the same files work below any path; the service puts the path into index.html.
  base: './',
  plugins: [react(), tailwindcss(), pageList(), compressed()],
  build: {
    target: 'es2024',
    // As files, never as data: URLs: the policy of the page is strict.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 600,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Few files that are worth a request each, not one for every icon: what every page begins with, and what
          // several of them share.
          groups: [
            { name: 'app', tags: ['$initial'], priority: 2 },
            { name: 'shared', minShareCount: SHARED_BY_PAGES, priority: 1 },
          ],
        },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    strictPort: true,
    proxy: { '/dashboard/api': SERVICE, '/v1': SERVICE, '/openapi.json': SERVICE },
  },
});
