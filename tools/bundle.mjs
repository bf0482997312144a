// The server in a few files, for `npm start` and for the archive (docs/decisions/0029-the-server-runs-from-a-bundle.md). Run
// directly, it makes the bundle of the current sources, if there is none, and prints the path of its entry.
import { randomUUID } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundlePlace, bundles, mtime, root } from './sources.mjs';

const server = join(root, 'packages/server');

/** Expression with which a source refers to another file or a folder. */
const placePattern = /new URL\(\s*'([^']+)',\s*import\.meta\.url,?\s*\)/g;
const isForTests = (file) => /\.test\.ts$|[\\/](?:testing|scoreboard)[\\/]/.test(file);
const nameOf = (file) => basename(file, '.ts');

/** Files that sources find by path and start: thread entries, and a command that the server runs. */
const startedBySources = () =>
  globSync('src/**/*.ts', { cwd: server })
    .filter((file) => !isForTests(file))
    .flatMap((file) =>
      Array.from(readFileSync(join(server, file), 'utf8').matchAll(placePattern), ([, path]) =>
        join(server, dirname(file), path),
      ),
    )
    .filter((file) => file.endsWith('.ts'));

/** Entries that are started separately, by name: the server, commands for operators, and threads. */
function findEntries() {
  const commands = globSync('src/commands/*.ts', { cwd: server }).filter(
    (file) => !isForTests(file) && nameOf(file) !== 'fail',
  );
  const files = ['src/main.ts', ...commands].map((file) => join(server, file));
  return Object.fromEntries([...files, ...startedBySources()].map((file) => [nameOf(file), file]));
}

const isOfPackage = (file) => file.includes(`${sep}node_modules${sep}`);

/**
 * Paths relative to a bundle's folder: entries are directly in it, folders are at their path in the checkout. Files of packages
 * are copied into it, and added to `copies`.
 */
const moved = (entries, place, copies) => ({
  name: 'places',
  transform(code, id) {
    if (!code.includes('import.meta') || !id.startsWith(root)) return null;
    const changed = code.replaceAll(placePattern, (_, path) => {
      const file = join(dirname(id), path);
      const isStarted = Object.values(entries).includes(file);
      if (isOfPackage(file)) copies.add(file);
      const near = isOfPackage(file) ? `./${basename(file)}` : relative(place, file).split(sep).join('/');
      const seen = isStarted ? `./${nameOf(file)}.js` : near;
      return `new URL('${seen}${path.endsWith('/') ? '/' : ''}', HERE)`;
    });
    if (changed.includes('import.meta') && !isOfPackage(id))
      throw new Error(`${id} finds its place in a way that is not known here`);
    return { code: changed.replaceAll(', HERE)', ', import.meta.url)'), map: null };
  },
});

/**
 * V8 keeps the text of modules, and takes two bytes for each character of a text that has one Chinese character. Throws if an
 * escape would not be equal to the character.
 */
function toAscii(code) {
  const misread = /String\.raw`[^`]*[^\0-\x7f]|(?<!\\)(?:\\\\)*\\[^\0-\x7f]/.exec(code);
  if (misread) throw new Error(`this cannot be written in ASCII: ${misread[0]}`);
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Writes a bundle into a folder, and replaces its content.
 *
 * @param place - final path of the folder, relative to this checkout
 */
export async function bundleServer(folder, place) {
  // The bundler that builds the console is a dependency of Vite.
  const ofVite = createRequire(join(root, 'node_modules/vite/package.json'));
  const { rolldown } = await import(pathToFileURL(ofVite.resolve('rolldown')).href);
  const entries = findEntries();
  const copies = new Set();
  const bundle = await rolldown({
    input: entries,
    cwd: root,
    platform: 'node',
    plugins: [moved(entries, place, copies)],
    // Libraries import optional accelerators if they are installed; here they are not.
    external: ['pg-native', 'bufferutil', 'utf-8-validate'],
    onLog: (level, log) => {
      if (level === 'warn' && log.code !== 'EVAL') throw new Error(log.message);
    },
  });
  const { output } = await bundle.generate({
    dir: place,
    format: 'esm',
    // Names and lines are kept, so that a stack is readable; comments are only needed in the sources.
    minify: false,
    comments: false,
    sourcemap: true,
    sourcemapExcludeSources: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'part-[name]-[hash].js',
  });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of copies) cpSync(file, join(folder, basename(file)));
  for (const file of output)
    writeFileSync(join(folder, file.fileName), file.type === 'chunk' ? toAscii(file.code) : file.source);
}

/** Number of bundles to keep: a running server loads parts, starts threads and replaces workers from its own bundle. */
const keptBundles = 3;

/** Removes all bundles except the newest. */
function prune() {
  const made = readdirSync(bundles).map((name) => join(bundles, name));
  const byAge = made.sort((one, other) => mtime(other) - mtime(one));
  for (const old of byAge.slice(keptBundles)) rmSync(old, { recursive: true, force: true });
}

/** Path of the entry to start: the bundle of the current sources, made if there is none. Safe for two simultaneous starts. */
async function currentServer() {
  const place = bundlePlace();
  const file = join(place, 'main.js');
  if (existsSync(file)) return file;
  const making = join(bundles, `making-${randomUUID()}`);
  try {
    await bundleServer(making, place);
    renameSync(making, place);
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    // If another start was faster, its bundle has the same content.
    if (!existsSync(file)) throw error;
  }
  prune();
  return file;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await currentServer());
