// Compares the versions in package-lock.json with a stored list of advisories (tools/advisories.json), without a network:
// part of `npm run check`. `npm run advisories` asks the registry for new ones and adds them to the list.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const listFile = join(root, 'tools/advisories.json');
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** Parses a version into its numbers and a flag for a pre-release. */
function partsOf(version) {
  const [, major, minor = '0', patch = '0', rest = ''] =
    /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(-[^+]*)?/.exec(version.trim()) ?? [];
  if (major === undefined) throw new Error(`not a version: ${version}`);
  return [Number(major), Number(minor), Number(patch), rest === '' ? 1 : 0];
}

/** Negative if `a` is older than `b`. All pre-releases of a version compare as equal, and are older than the version. */
function compare(a, b) {
  const [left, right] = [partsOf(a), partsOf(b)];
  const at = left.findIndex((part, index) => part !== right[index]);
  return at < 0 ? 0 : left[at] - right[at];
}

const holds = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '=': (order) => order === 0,
};

/** True if a version is in a range in the syntax of advisories: `>=1.0.0 <1.2.3 || =2.0.0`, or `*` for every version. */
export function isWithin(version, range) {
  return range.split('||').some((part) => {
    const bounds = [...part.matchAll(/(<=|>=|<|>|=)?\s*v?(\d[^\s,]*)/g)];
    if (bounds.length === 0) return part.trim() === '*';
    return bounds.every(([, sign = '=', bound]) => holds[sign](compare(version, bound)));
  });
}

/** Lock files: of the product and its tests, and of the generator of the documentation. */
const locks = ['', 'website'].map((folder) => join(root, folder, 'package-lock.json'));

/** Advisories that apply to any of the lock files. */
export const findInLocks = (list) => locks.flatMap((file) => findVulnerable(readJson(file), list));

/** Name, version and path of every package in a lock file. */
function lockedPackages({ packages }) {
  return Object.entries(packages).flatMap(([path, { version, name, link }]) => {
    const at = path.lastIndexOf('node_modules/');
    return at < 0 || link || version === undefined
      ? []
      : { name: name ?? path.slice(at + 13), version, path };
  });
}

/**
 * Advisories that apply to a lock file, each with its package. Those in `accepted` (id → reason) are left
 * out.
 */
export function findVulnerable(lock, { advisories, accepted = {} }) {
  const locked = lockedPackages(lock);
  return advisories
    .filter(({ id }) => !Object.hasOwn(accepted, id))
    .flatMap((advisory) =>
      locked
        .filter(({ name, version }) => name === advisory.package && isWithin(version, advisory.range))
        .map(({ version, path }) => ({ ...advisory, version, path })),
    );
}

function check() {
  const list = readJson(listFile);
  const found = findInLocks(list);
  for (const { package: name, version, id, severity, title, path } of found)
    console.error(`${name} ${version} (${path}): ${severity}, ${title}, https://github.com/advisories/${id}`);
  console.log(`advisories: ${list.advisories.length} of ${list.checked}, ${found.length} problems`);
  return found.length === 0;
}

/** Requests the advisories for the versions in a lock file from the registry, through npm; undefined without an answer. */
function askRegistry(lock) {
  const asked = spawnSync('npm', ['audit', '--json', '--package-lock-only', '--audit=true'], {
    cwd: dirname(lock),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const answer = JSON.parse(asked.stdout || '{}');
  if (answer.vulnerabilities) return Object.values(answer.vulnerabilities);
  const reason = answer.message ?? answer.error?.summary ?? asked.stderr.trim();
  console.error(`NOT REFRESHED: the registry did not answer (${reason.split('\n', 1)[0]}).`);
  console.error(`The list of ${readJson(listFile).checked} stays as it is.`);
  return undefined;
}

/** Adds new advisories for the versions in the lock files to the list. */
function refresh() {
  const answers = locks.map(askRegistry);
  if (answers.includes(undefined)) return false;
  const list = readJson(listFile);
  const known = new Set(list.advisories.map(({ id, package: name }) => `${id} ${name}`));
  const told = answers
    .flat()
    .flatMap(({ via }) => via.filter((each) => typeof each === 'object'))
    .map(({ dependency, url, severity, title, range }) => ({
      package: dependency,
      id: url.slice(url.lastIndexOf('/') + 1),
      severity,
      title,
      range,
    }));
  const added = [...new Map(told.map((each) => [`${each.id} ${each.package}`, each]))]
    .filter(([name]) => !known.has(name))
    .map(([, each]) => each);
  list.advisories.push(...added);
  list.advisories.sort((a, b) => `${a.package} ${a.id}`.localeCompare(`${b.package} ${b.id}`, 'en'));
  list.checked = new Date().toISOString().slice(0, 10);
  list.source = 'npm audit';
  writeFileSync(listFile, `${JSON.stringify(list, null, 2)}\n`);
  console.log(`refreshed: ${added.length} new advisories`);
  return check();
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.exit((process.argv.includes('--refresh') ? refresh() : check()) ? 0 : 1);
