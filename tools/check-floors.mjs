// Checks tools/floors.mjs over every source file: no climbing, no reaching into a neighbour, no circle, no giant file.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { floors, lengths, owned, testOnly } from './floors.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const files = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: root }).filter(
  (file) => !file.endsWith('.d.ts'),
);
const problems = [];
const isTest = (file) => /\.(test|bench)\.tsx?$/.test(file);

/** The floor a file stands on: the longest declared folder above it, with '*' filled in. */
function floorOf(file) {
  let best = null;
  for (const folder of Object.keys(floors)) {
    const pattern = folder.split('/');
    const parts = dirname(file).split('/');
    if (parts.length < pattern.length) continue;
    if (!pattern.every((part, i) => part === '*' || part === parts[i])) continue;
    if (!best || pattern.length > best.pattern.split('/').length) {
      best = { pattern: folder, actual: parts.slice(0, pattern.length).join('/') };
    }
  }
  return best;
}

const importPattern =
  /(?:^|[^\w.])(?:import|export)\s+(?:type\s+)?(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g;
const importsOf = (text) => [...text.matchAll(importPattern)].map((m) => m[1] ?? m[2]);
const graph = new Map();

function resolveImport(file, spec) {
  if (spec === '@tollgate/contract') return 'packages/contract/src/index.ts';
  if (!spec.startsWith('.')) return null;
  return normalize(join(dirname(file), spec));
}

function checkPackage(file, spec) {
  const name = spec.startsWith('@')
    ? spec.split('/').slice(0, 2).join('/')
    : spec.startsWith('node:')
      ? spec
      : spec.split('/')[0];
  const owners = owned[name];
  if (!owners || isTest(file) || testOnly.some((folder) => file.startsWith(`${folder}/`))) return;
  if (!owners.some((owner) => file === owner || file.startsWith(`${owner}/`))) {
    problems.push(`${file}: imports ${name}, which belongs to ${owners.join(', ')}`);
  }
}

function checkStep(file, target) {
  const from = floorOf(file);
  const to = floorOf(target);
  if (!to) return problems.push(`${file}: imports ${target}, which stands on no floor`);
  if (
    testOnly.some((folder) => target.startsWith(`${folder}/`)) &&
    !isTest(file) &&
    !testOnly.some((f) => file.startsWith(`${f}/`))
  ) {
    return problems.push(`${file}: imports ${target}, which is for tests only`);
  }
  if (isTest(file) || from.actual === to.actual) return;
  const allowed = floors[from.pattern];
  if (allowed.includes('*') || allowed.includes(to.pattern)) {
    const isService = to.pattern.startsWith('packages/server/src/services/');
    if (isService && target !== `${to.actual}/index.ts`) {
      problems.push(`${file}: reaches past the door of ${to.actual} (import its index.ts)`);
    }
    return;
  }
  problems.push(`${file}: may not import ${target} (${from.pattern} stands below ${to.pattern})`);
}

for (const file of files) {
  const text = readFileSync(join(root, file), 'utf8');
  const lineCount = text.split('\n').length;
  if (!isTest(file) && lineCount > lengths.force)
    problems.push(`${file}: ${lineCount} lines (at most ${lengths.force})`);
  if (!floorOf(file)) problems.push(`${file}: stands on no floor`);
  const targets = [];
  for (const spec of importsOf(text)) {
    checkPackage(file, spec);
    const target = resolveImport(file, spec);
    if (!target) continue;
    targets.push(target);
    checkStep(file, target);
  }
  if (!isTest(file)) graph.set(file, targets);
}

/** Depth-first search for a circle; types included, because a circle of types is a circle of minds. */
function findCircle() {
  const state = new Map();
  const path = [];
  const visit = (file) => {
    if (state.get(file) === 'done') return null;
    if (state.get(file) === 'open') return [...path.slice(path.indexOf(file)), file];
    state.set(file, 'open');
    path.push(file);
    for (const next of graph.get(file) ?? []) {
      const circle = visit(next);
      if (circle) return circle;
    }
    path.pop();
    state.set(file, 'done');
    return null;
  };
  for (const file of graph.keys()) {
    const circle = visit(file);
    if (circle) return circle;
  }
  return null;
}

const circle = findCircle();
if (circle) problems.push(`circle: ${circle.map((file) => relative('packages', file)).join(' → ')}`);
for (const problem of problems) console.error(problem);
console.log(`floors: ${files.length} files, ${problems.length} problems`);
process.exit(problems.length > 0 ? 1 : 0);
