import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressed } from './build/compressed.ts';
import { pageList } from './build/page-list.ts';

/** Where `npm run dev` finds a running service; start it with SVC_PUBLIC_URL=http://127.0.0.1:5173. */
const SERVICE = 'http://127.0.0.1:8080';

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
  },
  server: {
    host: '127.0.0.1',
    strictPort: true,
    proxy: { '/dashboard/api': SERVICE, '/v1': SERVICE, '/openapi.json': SERVICE },
  },
});
