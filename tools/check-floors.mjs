// Checks tools/floors.mjs against every source file: no upward import, no import of a neighbour's internals, no circle of
// files or folders, no rule about a missing folder.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { besideProduct, circles, doors, floors, owned, testOnly } from './floors.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const files = globSync(['packages/*/src/**/*.{ts,tsx}', `{${besideProduct.join()}}/**/*.{ts,mjs}`], {
  cwd: root,
}).filter((file) => !/\.d\.m?ts$|node_modules|\/venv\//.test(file));
const problems = [];
/** Test helpers, and code beside the product. */
const isHelper = (file) => [...testOnly, ...besideProduct].some((folder) => file.startsWith(`${folder}/`));
const isTest = (file) => /\.(test|bench)\.tsx?$/.test(file);

/** The floor of a file: the longest declared folder above it, with '*' filled in. */
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
  if (spec === '@tollgate/contract/product') return 'packages/contract/src/product.ts';
  if (spec === '@tollgate/contract/relay-errors') return 'packages/contract/src/relay-errors/index.ts';
  if (spec === '@tollgate/http-engine') return 'packages/http-engine/src/index.ts';
  if (spec === '@tollgate/http-engine/testing') return 'packages/http-engine/src/testing/index.ts';
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
  if (!owners || isTest(file) || isHelper(file)) return;
  if (!owners.some((owner) => file === owner || file.startsWith(`${owner}/`))) {
    problems.push(`${file}: imports ${name}, which belongs to ${owners.join(', ')}`);
  }
}

function checkStep(file, target) {
  const from = floorOf(file);
  const to = floorOf(target);
  if (!to) return problems.push(`${file}: imports ${target}, which stands on no floor`);
  if (testOnly.some((folder) => target.startsWith(`${folder}/`)) && !isTest(file) && !isHelper(file)) {
    return problems.push(`${file}: imports ${target}, which is for tests only`);
  }
  const isBeside = (path) => besideProduct.some((folder) => path.startsWith(`${folder}/`));
  if (isBeside(target) && !isBeside(file) && !isTest(file))
    return problems.push(`${file}: imports ${target}, which is no part of the product`);
  if (isTest(file) || from.actual === to.actual) return;
  const allowed = floors[from.pattern];
  if (allowed.includes('*') || allowed.includes(to.pattern)) {
    if (doors.includes(to.pattern) && !isHelper(file) && target !== `${to.actual}/index.ts`) {
      problems.push(`${file}: reaches past the door of ${to.actual} (import its index.ts)`);
    }
    return;
  }
  problems.push(`${file}: may not import ${target} (${from.pattern} stands below ${to.pattern})`);
}

for (const file of files) {
  const text = readFileSync(join(root, file), 'utf8');
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

/** The first circle that a depth-first search finds in a graph (name → names); null if there is none. */
function findCircle(edges) {
  const state = new Map();
  const path = [];
  const visit = (node) => {
    if (state.get(node) === 'done') return null;
    if (state.get(node) === 'open') return [...path.slice(path.indexOf(node)), node];
    state.set(node, 'open');
    path.push(node);
    for (const next of edges.get(node) ?? []) {
      const circle = visit(next);
      if (circle) return circle;
    }
    path.pop();
    state.set(node, 'done');
    return null;
  };
  for (const node of edges.keys()) {
    const circle = visit(node);
    if (circle) return circle;
  }
  return null;
}

/**
 * Folder → the folders its files import. An index.ts that exports from its own sub-folders is a door and no
 * dependency of the folder on them.
 */
function folderGraph() {
  const edges = new Map();
  for (const [file, targets] of graph) {
    const from = dirname(file);
    const isDoor = /\/index\.tsx?$/.test(file);
    for (const to of targets.map((target) => dirname(target))) {
      if (to === from || (isDoor && to.startsWith(`${from}/`))) continue;
      if (!edges.has(from)) edges.set(from, new Set());
      edges.get(from).add(to);
    }
  }
  return edges;
}

/** Circles of folders, except declared ones; a declared circle that no longer exists must be removed from the list. */
function checkFolderCircles() {
  const edges = folderGraph();
  for (const { between, why } of circles) {
    const [from, to] = between;
    if (!why || !edges.get(from)?.delete(to)) problems.push(`floors.mjs: no circle from ${from} to ${to}`);
  }
  const found = findCircle(edges);
  if (found) problems.push(`circle of folders: ${found.map((one) => relative('packages', one)).join(' → ')}`);
}

/** Every folder or file that a rule names exists. */
function checkNames() {
  const named = [...Object.entries(floors).flat(2), ...doors, ...testOnly, ...Object.values(owned).flat()];
  for (const name of new Set(named)) {
    if (name !== '*' && globSync(name, { cwd: root }).length === 0)
      problems.push(`floors.mjs: names ${name}, which is not there`);
  }
}

/** A declared door must exist. */
for (const door of doors) {
  for (const folder of globSync(door, { cwd: root })) {
    if (!folder.endsWith('.ts') && !existsSync(join(root, folder, 'index.ts')))
      problems.push(`${folder}: has no index.ts`);
  }
}

checkNames();
checkFolderCircles();
const circle = findCircle(graph);
if (circle) problems.push(`circle: ${circle.map((file) => relative('packages', file)).join(' → ')}`);
for (const problem of problems) console.error(problem);
console.log(`floors: ${files.length} files, ${problems.length} problems`);
process.exit(problems.length > 0 ? 1 : 0);
