import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressed } from './build/compressed.ts';
import { lateStyles } from './build/late-styles.ts';
import { pageList } from './build/page-list.ts';

/** The running service that `npm run dev` uses. Start it with SVC_PUBLIC_URL=http://127.0.0.1:5173. */
const SERVICE = 'http://127.0.0.1:8080';

/** What many pages share in addition to the code that every page needs. The first page needs most of it, but no popups. */
const CONTROLS = /\/dashboard\/src\/(?!ui\/(?:popup|toast|tabs|qr-code))(?:api|format|resources|ui)\//;
/** Files of their own, so that the browser compiles and runs them in tasks of their own. */
const REACT = /\/node_modules\/(?:react|react-dom|scheduler)\/|\/src\/chunks\/react\.ts$/;
const ROUTER = /\/node_modules\/@tanstack\//;
/** Dialogs, menus, and searches in a list. */
const POPUPS = /\/ui\/popup\/(?!lazy)|\/node_modules\/(?:cmdk|radix-ui|@radix-ui|@floating-ui)\//;

export default defineConfig({
  root: import.meta.dirname,
  // Relative paths, so that the build works below any base path. The service inserts the base path into index.html.
  base: './',
  plugins: [react(), tailwindcss(), pageList(), lateStyles(), compressed()],
  build: {
    target: 'es2024',
    // The content security policy does not allow data: URLs.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 600,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Few files instead of one per icon and control.
          groups: [
            { name: 'react', test: REACT, tags: ['$initial'], priority: 5 },
            { name: 'router', test: ROUTER, tags: ['$initial'], priority: 4 },
            { name: 'app', tags: ['$initial'], priority: 3 },
            { name: 'controls', test: CONTROLS, minShareCount: 2, priority: 2 },
            { name: 'popups', test: POPUPS, minShareCount: 2, priority: 1 },
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
