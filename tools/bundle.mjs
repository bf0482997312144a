// The server in few files, for the archive (docs/decisions/0029-the-archive-has-a-bundled-server.md); a checkout runs its
// sources. Run by itself it writes them where they stand in the archive, for the bench.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const server = join(root, 'packages/server');
/** Where the files stand, here as in the archive. */
const bundleFolder = join(server, 'dist');

/** How a source says where another file or a folder is. */
const placePattern = /new URL\(\s*'([^']+)',\s*import\.meta\.url,?\s*\)/g;
const isForTests = (file) => /\.test\.ts$|\/testing\/|\/scoreboard\//.test(file);
const nameOf = (file) => basename(file, '.ts');

/** The files that sources find by place and start: those of threads, and a command that the server runs. */
const startedBySources = () =>
  globSync('src/**/*.ts', { cwd: server })
    .filter((file) => !isForTests(file))
    .flatMap((file) =>
      Array.from(readFileSync(join(server, file), 'utf8').matchAll(placePattern), ([, path]) =>
        join(server, dirname(file), path),
      ),
    )
    .filter((file) => file.endsWith('.ts'));

/** What is started by itself, by name: the server, what operators run beside it, and threads. */
function findEntries() {
  const commands = globSync('src/commands/*.ts', { cwd: server }).filter(
    (file) => !isForTests(file) && nameOf(file) !== 'fail',
  );
  const files = ['src/main.ts', ...commands].map((file) => join(server, file));
  return Object.fromEntries([...files, ...startedBySources()].map((file) => [nameOf(file), file]));
}

/** Places as they are in the archive: what is started stands in the bundle, a folder where the checkout has it. */
const moved = (entries) => ({
  name: 'places',
  transform(code, id) {
    if (!code.includes('import.meta') || !id.startsWith(join(root, 'packages'))) return null;
    const changed = code.replaceAll(placePattern, (_, path) => {
      const file = join(dirname(id), path);
      const isStarted = Object.values(entries).includes(file);
      const place = isStarted ? `./${nameOf(file)}.js` : relative(bundleFolder, file).split(sep).join('/');
      return `new URL('${place}${path.endsWith('/') ? '/' : ''}', HERE)`;
    });
    if (changed.includes('import.meta'))
      throw new Error(`${id} finds its place in a way that is not known here`);
    return { code: changed.replaceAll(', HERE)', ', import.meta.url)'), map: null };
  },
});

/**
 * V8 keeps the text of modules, and takes two bytes for each character of a text in which one is Chinese. Throws where an
 * escape would say something else than the character.
 */
function toAscii(code) {
  const misread = /String\.raw`[^`]*[^\0-\x7f]|(?<!\\)(?:\\\\)*\\[^\0-\x7f]/.exec(code);
  if (misread) throw new Error(`this cannot be written in ASCII: ${misread[0]}`);
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Writes the bundle into a folder, in place of what was there. */
export async function bundleServer(folder) {
  // The bundler that builds the console comes with Vite.
  const ofVite = createRequire(join(root, 'node_modules/vite/package.json'));
  const { rolldown } = await import(pathToFileURL(ofVite.resolve('rolldown')).href);
  const entries = findEntries();
  const bundle = await rolldown({
    input: entries,
    cwd: root,
    platform: 'node',
    plugins: [moved(entries)],
    // Libraries ask for what speeds them up where it is installed; here it is not.
    external: ['pg-native', 'bufferutil', 'utf-8-validate'],
    onLog: (level, log) => {
      if (level === 'warn' && log.code !== 'EVAL') throw new Error(log.message);
    },
  });
  const { output } = await bundle.generate({
    format: 'esm',
    // Names and lines stay, so that a stack can be read; comments are for readers of the sources.
    minify: false,
    comments: false,
    sourcemap: true,
    sourcemapExcludeSources: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'part-[name]-[hash].js',
  });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of output)
    writeFileSync(join(folder, file.fileName), file.type === 'chunk' ? toAscii(file.code) : file.source);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleServer(bundleFolder);
