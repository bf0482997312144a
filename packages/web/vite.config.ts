import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { chunkFileName, chunkGroups } from './chunks.ts';
import { noChunkCycles } from './no-chunk-cycles.ts';
import { preloadPages } from './preload-pages.ts';
import { withoutCallSchemas, withoutErrorTexts } from './without-call-schemas.ts';

/** Where `npm run dev` finds the gateway. */
const gateway = process.env.DEV_SERVER ?? 'http://127.0.0.1:3000';
const relayed = ['/api', '/v1', '/v1beta', '/pg', '/mj', '/suno'];

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** Below this size compression saves less than a packet. */
const worthBytes = 1024;

/** Lays `.br` and `.gz` beside the built files, so that the server never compresses the same file twice. */
const precompress = (): Plugin => ({
  name: 'console:precompress',
  apply: 'build',
  async writeBundle({ dir: folder = '' }) {
    const files = (await readdir(folder, { recursive: true })).filter((name) =>
      /\.(js|css|svg|html)$/.test(name),
    );
    for (const file of files) {
      const path = join(folder, file);
      const bytes = await readFile(path);
      if (bytes.length < worthBytes) continue;
      await writeFile(`${path}.br`, await brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
      await writeFile(`${path}.gz`, await zip(bytes, { level: 9 }));
    }
  },
});

/** Asks for the font with the page itself: known from the style sheet alone, it would come a journey later. */
const preloadFont = (): Plugin => ({
  name: 'console:preload-font',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {} }) =>
      Object.keys(bundle)
        .filter((name) => name.endsWith('.woff2'))
        .map((name) => ({
          tag: 'link',
          attrs: { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: '', href: `/${name}` },
          injectTo: 'head',
        })),
  },
});

/** Files of the contract that declare calls; settings are another matter, since their page checks what is typed. */
const callDeclarations =
  /\/packages\/contract\/src\/(?:api\/(?:[\w-]+\/)?[\w-]+|channel-failure|envelope|sort|whole)\.ts$/;
const blankSchema = '\0console:blank-schema';

/**
 * Calls are declared with the schemas that the server checks them by. The console takes only types from these, and
 * never runs them, so they are left out, and what remains gets a stand-in that answers itself to everything: 38 KB less
 * for every page.
 */
const withoutSchemas = (): Plugin => ({
  name: 'console:without-schemas',
  enforce: 'pre',
  resolveId: (source, importer) =>
    source === 'zod' && importer !== undefined && callDeclarations.test(importer) ? blankSchema : null,
  load: (id) =>
    id === blankSchema ? 'export const z = new Proxy(() => z, { get: () => z, apply: () => z });' : null,
  transform: (code, id) => (callDeclarations.test(id) ? { code: withoutCallSchemas(code), map: null } : null),
});

const noModels = '\0console:no-models';

/**
 * The data of models (prices, limits, abilities) stays on the server, which sends what a page asks for. Settings name their
 * defaults from it; the console never needs a default, as the server sends the values that apply.
 */
const withoutModels = (): Plugin => ({
  name: 'console:without-models',
  enforce: 'pre',
  apply: 'build',
  resolveId: (source) => (source.endsWith('/models/index.ts') ? noModels : null),
  load(id) {
    if (id.endsWith('models.json')) throw new Error(`${id} would be bundled into the console`);
    return id === noModels
      ? `const none = new Proxy({}, { get: () => ({}) });\nexport const defaultPrices = none;\nexport const modelRatioAt = () => ({});`
      : null;
  },
});

const anyTerms = '\0console:any-terms';
const termSchemas = ['priceTerms', 'contextTiers', 'serviceTiers'];

/**
 * Terms of prices are the one setting whose check takes objects, 3 KB of every visit to the settings. The server checks them
 * when they are saved, and says what is wrong.
 */
const withoutTermSchema = (): Plugin => ({
  name: 'console:without-term-schema',
  enforce: 'pre',
  apply: 'build',
  resolveId: (source) => (source.endsWith('/term-schema.ts') ? anyTerms : null),
  load: (id) =>
    id === anyTerms
      ? [
          "import * as z from 'zod/mini';",
          ...termSchemas.map((name) => `export const ${name} = z.unknown();`),
        ].join('\n')
      : null,
});

export default defineConfig({
  plugins: [
    react(),
    withoutSchemas(),
    withoutModels(),
    withoutTermSchema(),
    withoutErrorTexts(),
    preloadFont(),
    preloadPages(),
    noChunkCycles(),
    precompress(),
  ],
  server: { proxy: Object.fromEntries(relayed.map((path) => [path, gateway])) },
  build: {
    target: 'es2023',
    // Inlined images would need `data:` in more places of the CSP; files cost nothing over HTTP/2.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One sheet of 35 KB instead of up to eight requests, none of which can fail later when a page is opened.
    cssCodeSplit: false,
    // The framework with the frame of every page; all of it is needed at once.
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      // The contract only declares: a page that uses one call must not carry the schemas of all the others.
      treeshake: { moduleSideEffects: (id) => !id.includes('/packages/contract/') },
      output: { chunkFileNames: chunkFileName, codeSplitting: { groups: chunkGroups } },
    },
  },
});
