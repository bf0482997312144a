import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Where `npm run dev` finds the gateway. */
const gateway = process.env.TOLLGATE_DEV_SERVER ?? 'http://127.0.0.1:3000';

export default defineConfig({
  plugins: [react()],
  server: {
    proxy: Object.fromEntries(
      ['/api', '/v1', '/v1beta', '/pg', '/mj', '/suno'].map((path) => [path, gateway]),
    ),
  },
  build: {
    target: 'es2023',
    // Inlined images would need `data:` in more places of the CSP; files cost nothing over HTTP/2.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // The contract only declares: a page that uses one call must not carry the schemas of all the others.
      treeshake: { moduleSideEffects: (id) => !id.includes('/packages/contract/') },
    },
  },
});
