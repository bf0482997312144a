// Makes the files of a release (docs/how-to/deploy.md): `npm run package [-- --arch=arm64] [--out=folder]` makes the archive
// that runs without npm, also the content of the image; `--npm` makes the package for `npx`: the same without a Node.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve, sep } from 'node:path';
import { product } from '../packages/contract/src/product.ts';
import { bundleServer } from './bundle.mjs';
import { bundles, root } from './sources.mjs';

const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const { version, description, license, engines, optionalDependencies } = readJson('package.json');
const parts = ['contract', 'http-engine', 'server', 'web'];

const option = (name) => process.argv.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3);
const isForNpm = process.argv.includes('--npm');
// Image builders use another name for x64.
const arch = (option('arch') ?? process.arch).replace('amd64', 'x64');
const out = resolve(option('out') ?? join(root, 'dist'));
if (!['x64', 'arm64'].includes(arch)) {
  console.error(`No archive for ${arch}: there are x64 and arm64.`);
  process.exit(1);
}

/** Output of a program; exits if the program fails. */
function run(program, args, cwd = root) {
  const done = spawnSync(program, args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (done.status === 0) return done.stdout;
  console.error(`${program} ${args.join(' ')} failed:\n${done.stderr}`);
  process.exit(1);
}

/** Folders below node_modules that the server and the console need, from the lock file. */
function neededPackages() {
  const workspaces = parts.flatMap((part) => ['-w', `packages/${part}`]);
  const listed = run('npm', ['ls', '--all', '--parseable', '--omit=dev', '--omit=optional', ...workspaces]);
  const folders = listed.split('\n').map((path) => relative(root, path).split(sep).join('/'));
  // Only the compiler uses types.
  const isNeeded = (path) =>
    path.startsWith('node_modules/') && !/\/@types\//.test(path) && !path.includes(`/@${product.id}/`);
  return [...new Set(folders.filter(isNeeded))];
}

/** Node for the target machine: the installed one, or its package, checked against the lock file. */
function nodeBinary(scratch) {
  const name = `node-linux-${arch}`;
  const installed = join(root, 'node_modules', name, 'bin/node');
  if (existsSync(installed)) return installed;
  const locked = readJson('package-lock.json').packages[`node_modules/${name}`];
  const [packed] = JSON.parse(
    run('npm', ['pack', `${name}@${locked.version}`, '--json', '--pack-destination', scratch]),
  );
  const file = join(scratch, packed.filename);
  const digest = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
  if (digest !== locked.integrity) {
    console.error(`${name} is not what the lock file says.`);
    process.exit(1);
  }
  run('tar', ['-xzf', file, '-C', scratch, 'package/bin/node']);
  return join(scratch, 'package/bin/node');
}

/** Licence texts of the bundled packages, required in every copy of them. */
function licences() {
  const ofPackage = (path) => {
    const { name, version, license } = readJson(join(path, 'package.json'));
    const files = readdirSync(join(root, path)).filter((file) =>
      /^(licen[cs]e|notice|copying)\b/i.test(file),
    );
    const texts = files.map((file) => readFileSync(join(root, path, file), 'utf8').trim());
    return [`${name} ${version} (${license})`, ...texts].join('\n\n');
  };
  return `${neededPackages()
    .map(ofPackage)
    .join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/** The packages of the archive with their versions, licences and origin, as CycloneDX JSON. */
function billOfMaterials() {
  const workspaces = parts.flatMap((part) => ['-w', `packages/${part}`]);
  const kind = ['--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
  const bill = JSON.parse(run('npm', ['sbom', ...kind, '--omit=dev', ...workspaces]));
  Object.assign(bill.metadata.component, { name: product.id, version });
  // Values that differ between two runs would make two archives of one commit differ.
  delete bill.serialNumber;
  delete bill.metadata.timestamp;
  return `${JSON.stringify(bill, null, 2)}\n`;
}

/** Name of the release, its command for npm, and the Node dependency. */
const manifest = () => ({
  name: product.id,
  version,
  description,
  license,
  type: 'module',
  bin: { [product.id]: 'bin/command.mjs' },
  engines,
  optionalDependencies,
});

/** Files that every release copies unchanged from the repository, with their paths. */
const copied = {
  'packages/server/src/relay/providers/sandbox/media': 'packages/server/src/relay/providers/sandbox/media',
  'packages/web/dist': 'packages/web/dist',
  'tools/command.mjs': 'bin/command.mjs',
  'tools/launch.mjs': 'bin/launch.mjs',
  [`deploy/archive/${product.id}`]: `bin/${product.id}`,
  'deploy/archive/README.md': 'README.md',
  'deploy/systemd': 'systemd',
  'deploy/prometheus': 'prometheus',
  'deploy/grafana': 'grafana',
  'docs/how-to': 'docs/how-to',
  LICENSE: 'LICENSE',
  'CHANGELOG.md': 'CHANGELOG.md',
};

/** Lays out the content of a release. */
async function layOut(folder) {
  await bundleServer(join(folder, relative(root, bundles)), bundles);
  const isWanted = (path) => !/\.test\./.test(path);
  for (const [from, to] of Object.entries(copied))
    cpSync(join(root, from), join(folder, to), { recursive: true, filter: isWanted });
  const written = {
    'licences-of-packages.txt': licences(),
    'sbom.cdx.json': billOfMaterials(),
    'package.json': `${JSON.stringify(manifest(), null, 2)}\n`,
    'bin/node-flags': readJson('tools/node-flags.json').join(' '),
  };
  for (const [name, text] of Object.entries(written)) writeFileSync(join(folder, name), text);
}

/** Packs a folder below `scratch`, the same for every run; returns the archive. */
function archiveOf(scratch, name) {
  const archive = join(out, `${name}.tar.gz`);
  const plain = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0'];
  run('tar', ['-czf', archive, ...plain, '-C', scratch, name]);
  return archive;
}

const scratch = mkdtempSync(join(tmpdir(), 'package-'));
try {
  const name = isForNpm ? 'package' : `${product.id}-${version}-linux-${arch}`;
  const folder = join(scratch, name);
  await layOut(folder);
  mkdirSync(out, { recursive: true });
  if (!isForNpm) cpSync(nodeBinary(scratch), join(folder, 'bin/node'));
  const made = isForNpm
    ? join(out, run('npm', ['pack', '--silent', '--pack-destination', out], folder).trim())
    : archiveOf(scratch, name);
  const digest = createHash('sha256').update(readFileSync(made)).digest('hex');
  writeFileSync(`${made}.sha256`, `${digest}  ${basename(made)}\n`);
  console.log(relative(process.cwd(), made));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
