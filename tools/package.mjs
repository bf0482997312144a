// Makes the archive that runs without npm: `npm run package [-- --arch=arm64] [--out=folder]`. The bundled server, the built
// console, and a Node (docs/how-to/deploy.md).
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
import { join, relative, sep } from 'node:path';
import { product } from '../packages/contract/src/product.ts';
import { bundleServer } from './bundle.mjs';
import { bundles, root } from './sources.mjs';

const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const { version } = readJson('package.json');
const parts = ['contract', 'http-engine', 'server'];

const option = (name) => process.argv.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3);
const arch = option('arch') ?? process.arch;
const out = option('out') ?? join(root, 'dist');
if (!['x64', 'arm64'].includes(arch)) {
  console.error(`No archive for ${arch}: there are x64 and arm64.`);
  process.exit(1);
}

/** What a program prints; ends everything when it fails. */
function run(program, args, cwd = root) {
  const done = spawnSync(program, args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (done.status === 0) return done.stdout;
  console.error(`${program} ${args.join(' ')} failed:\n${done.stderr}`);
  process.exit(1);
}

/** The folders below node_modules that the server needs when it runs, as the lock file has them. */
function neededPackages() {
  const workspaces = parts.flatMap((part) => ['-w', `packages/${part}`]);
  const listed = run('npm', ['ls', '--all', '--parseable', '--omit=dev', '--omit=optional', ...workspaces]);
  const folders = listed.split('\n').map((path) => relative(root, path).split(sep).join('/'));
  // Types are for the compiler alone.
  const isNeeded = (path) =>
    path.startsWith('node_modules/') && !/\/@types\//.test(path) && !path.includes(`/@${product.id}/`);
  return [...new Set(folders.filter(isNeeded))];
}

/** The Node of that machine: the one that is installed here, or its package, checked against the lock file. */
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

/** The terms of the bundled packages, which go with every copy of them. */
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
  const workspaces = [...parts, 'web'].flatMap((part) => ['-w', `packages/${part}`]);
  const kind = ['--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
  const bill = JSON.parse(run('npm', ['sbom', ...kind, '--omit=dev', ...workspaces]));
  Object.assign(bill.metadata.component, { name: product.id, version });
  // What differs between two runs would make two archives of one commit differ.
  delete bill.serialNumber;
  delete bill.metadata.timestamp;
  return `${JSON.stringify(bill, null, 2)}\n`;
}

const copy = (from, to, filter = () => true) => cpSync(from, to, { recursive: true, filter });

/** The archive's folder, below `into`. */
async function layOut(into, scratch) {
  const folder = join(into, `${product.id}-${version}-linux-${arch}`);
  await bundleServer(join(folder, relative(root, bundles)), bundles);
  const media = 'packages/server/src/relay/providers/sandbox/media';
  for (const part of [media, 'packages/web/dist']) copy(join(root, part), join(folder, part));
  writeFileSync(join(folder, 'licences-of-packages.txt'), licences());
  writeFileSync(join(folder, 'sbom.cdx.json'), billOfMaterials());
  copy(nodeBinary(scratch), join(folder, 'bin/node'));
  writeFileSync(join(folder, 'bin/node-flags'), readJson('tools/node-flags.json').join(' '));
  copy(join(root, 'deploy/archive', product.id), join(folder, 'bin', product.id));
  copy(join(root, 'deploy/archive/README.md'), join(folder, 'README.md'));
  for (const part of ['systemd', 'prometheus', 'grafana'])
    copy(join(root, 'deploy', part), join(folder, part), (path) => !/\.test\./.test(path));
  copy(join(root, 'docs/how-to'), join(folder, 'docs/how-to'));
  copy(join(root, 'package.json'), join(folder, 'package.json'));
  copy(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  return folder;
}

const scratch = mkdtempSync(join(tmpdir(), 'package-'));
try {
  const folder = await layOut(scratch, scratch);
  mkdirSync(out, { recursive: true });
  const archive = join(out, `${folder.slice(scratch.length + 1)}.tar.gz`);
  const plain = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0'];
  run('tar', ['-czf', archive, ...plain, '-C', scratch, folder.slice(scratch.length + 1)]);
  const digest = createHash('sha256').update(readFileSync(archive)).digest('hex');
  writeFileSync(`${archive}.sha256`, `${digest}  ${archive.slice(out.length + 1)}\n`);
  console.log(relative(process.cwd(), archive));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
