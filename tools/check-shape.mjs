// Checks that related files exist together: a folder with its line in a registry, a call with its handler and
// its test, a page with its entry, the map of the folders with the folders, and names in documents with the code.
import { existsSync, globSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { product } from '../packages/contract/src/product.ts';
import { chunkGroups } from '../packages/web/chunks.ts';
import { errorsFiles, errorsPage } from './errors-page.mjs';
import { useItWithFiles, useItWithPage } from './use-it-with.mjs';
import { wordingProblems } from './wording.mjs';

const root = join(import.meta.dirname, '..');
const server = 'packages/server/src';
const web = 'packages/web/src';
const problems = [];

const read = (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '');
const foldersIn = (path) =>
  existsSync(join(root, path))
    ? readdirSync(join(root, path), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => entry.name)
    : [];
const find = (pattern) => globSync(pattern, { cwd: root });
const readAll = (pattern) => find(pattern).map(read).join('\n');

/** A registry lists every folder beside it by importing its door. */
function checkRegistry(registry, folder) {
  const lines = read(registry);
  for (const name of foldersIn(folder)) {
    const door = `${folder}/${name}/index.ts`;
    if (!existsSync(join(root, door))) problems.push(`${folder}/${name}: has no index.ts`);
    const path = relative(dirname(registry), door);
    if (!lines.includes(`./${path}'`)) problems.push(`${folder}/${name}: is not in ${registry}`);
  }
}

/** Every folder has its own test, and upstream answers in `fixtures`, unless it answers in the process. */
function checkProofs(folder) {
  for (const name of foldersIn(folder)) {
    const path = `${folder}/${name}`;
    if (find(`${path}/**/*.test.ts`).length === 0) problems.push(`${path}: has no test`);
    const answers = find(`${path}/fixtures/*.{json,ndjson,sse}`).filter(
      (file) => !file.endsWith('/conformance.json'),
    );
    const isLocal = /^ {2}local: /m.test(read(`${path}/index.ts`));
    if (answers.length === 0 && !isLocal) problems.push(`${path}: has no answer in fixtures/`);
    for (const file of answers) {
      if (read(file).length > 8_000) problems.push(`${file}: is longer than a fixture has to be`);
    }
  }
}

/** Calls that `contract/src/api` declares: api, name, method, path. */
function declaredCalls() {
  return find('packages/contract/src/api/**/*.ts').flatMap((file) => {
    const text = read(file);
    return [...text.matchAll(/export const (\w+Api) = \{([\s\S]*?)\n\};/g)].flatMap(([, api, body]) =>
      [...body.matchAll(/^ {2}(\w+): route\(\s*'(\w+)',\s*'([^']+)'/gm)].map(([, name, method, path]) => ({
        file,
        api,
        name,
        method,
        path,
      })),
    );
  });
}

const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Pattern for a path in tests: a value or a `${…}` in each slot, then an optional trailing slash or query. */
function pathPattern(path) {
  const pieces = path.split('/').map((piece) => (piece.startsWith(':') ? '[^\'"`/?]+' : escape(piece)));
  return new RegExp(`['"\`]${pieces.join('/').replace(/\/$/, '')}/?(\\?[^'"\`]*)?['"\`]`);
}

/** Every declared call has a handler (TypeScript checks each name once its api is implemented) and a test that calls it. */
function checkCalls() {
  const handlers = readAll(`${server}/http/**/!(*.test).ts`);
  const tests = readAll(`${server}/**/*.test.ts`) + readAll('e2e/**/*.ts');
  for (const { file, api, name, method, path } of declaredCalls()) {
    const where = `${file}: ${api}.${name} (${method} ${path})`;
    if (!new RegExp(`implement\\(\\s*${api}\\b`).test(handlers)) problems.push(`${where} has no handler`);
    if (!tests.includes(`${api}.${name}`) && !pathPattern(path).test(tests))
      problems.push(`${where} has no test`);
  }
}

/** Every page file of a feature is an entry of the page list, and has a test beside it that opens it in both languages. */
function checkPages() {
  const list = read(`${web}/app/pages.ts`);
  for (const file of find(`${web}/features/**/{page,*-page}.tsx`)) {
    const path = relative(`${web}/app`, file);
    if (!list.includes(path)) problems.push(`${file}: is not listed in app/pages.ts`);
    const test = read(file.replace(/\.tsx$/, '.test.tsx'));
    if (!test.includes('renderPage(')) problems.push(`${file}: has no test beside it that opens it`);
    else if (!test.includes("language: 'zh'")) problems.push(`${file}: has no test that opens it in Chinese`);
  }
}

/**
 * The pages of the architecture have one line for each folder that is not a feature, and name no other folder. Names of
 * features, shared components and test support describe their content.
 */
function checkMap() {
  const map = 'docs/architecture';
  const pages = [`${map}.md`, ...find(`${map}/*.md`)].map(read).join('\n');
  const named = [...pages.matchAll(/^- `([^`]+)\/` /gm)].map(([, path]) => path);
  const below = (path) => foldersIn(path).map((name) => `${path}/${name}`);
  const withBelow = ['relay', 'gateway', 'services', 'store', 'lib', 'boot', 'http'].map(
    (name) => `${server}/${name}`,
  );
  const groups = below(`${server}/services`);
  const isEmpty = (path) => find(`${path}/**/*.*`).length === 0;
  const expected = [
    ...['packages/contract/src', 'packages/http-engine/src', server, web].flatMap((one) => [
      one,
      ...below(one),
    ]),
    ...[...withBelow, ...groups].flatMap(below),
    'docs',
    'tools',
    'bench',
    'deploy',
    'e2e',
    'website',
  ].filter((path) => !isEmpty(path));
  for (const path of expected) if (!named.includes(path)) problems.push(`${map}: does not name ${path}/`);
  for (const path of named) {
    if (!existsSync(join(root, path)) || isEmpty(path))
      problems.push(`${map}: names ${path}/, which is not there`);
  }
  for (const path of named.filter((one, index) => named.indexOf(one) !== index)) {
    problems.push(`${map}: names ${path}/ twice`);
  }
}

/** Every decision has its own number and states its context, its choice and its consequences. */
function checkDecisions() {
  const seen = new Set();
  for (const file of find('docs/decisions/[0-9]*.md')) {
    const text = read(file);
    const number = /(\d{4})-[a-z0-9-]+\.md$/.exec(file)?.[1] ?? '';
    if (seen.has(number)) problems.push(`${file}: the number ${number} is taken`);
    seen.add(number);
    if (!text.startsWith(`# ${number}`)) problems.push(`${file}: its title should begin with ${number}`);
    for (const part of ['Context', 'Choice|Decision', 'Cost']) {
      const heading = new RegExp(`^(## (${part})$|\\*\\*(${part})\\.\\*\\*)`, 'm');
      if (!heading.test(text)) problems.push(`${file}: has no part "${part}"`);
    }
  }
}

/** Anchors of a document's headings, in the form that websites derive from the text. */
const headingsOf = (text) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, words]) =>
    words
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** The English page of a document: on the site its anchors are those of the translations, too. */
const inEnglish = (path) => path.replace(/^docs\/zh\/README/, 'README').replace(/^docs\/zh\//, 'docs/');

/** Every file and folder of the repository, with a leading slash. */
const everything = [
  ...find(
    '{packages/*,packages/*/!(node_modules|dist)/**,docs/**,tools/**,e2e/*,e2e/!(clients)/**,bench/**,deploy/**,.ci/**,website/*}',
  ),
  ...find('*'),
].map((path) => `/${path.replaceAll('\\', '/')}`);
const endings = new Set(
  everything.flatMap((path) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(index + 1))),
);
const folderNames = new Set(
  ['packages', 'docs', 'tools', 'bench', 'deploy', 'e2e', 'website'].concat(
    foldersIn('packages'),
    find('packages/*/src/{*,*/*}/').map((path) => path.replace(/\/$/, '').split('/').at(-1)),
  ),
);

/** True for a word that names a file (`serve.ts`) or starts with the name of one of our folders (`relay/streams`). */
function namesPath(word) {
  if (!/^[\w.][\w./*-]*$/.test(word) || word.startsWith('node_modules')) return false;
  if (/[^/.*]\.(ts|tsx|mjs|md)$/.test(word)) return true;
  return /^[a-z][\w-]*\//.test(word) && folderNames.has(word.split('/')[0]);
}

/** `services/*`, `boot/boot.ts`, `gateway/`: the end of an existing path. `server/lib` omits `src`. */
function isThere(word) {
  const path = word
    .replace(/\/\*?$/, '')
    .replace(/^(server|web|contract|http-engine)\//, (name) => `${name}src/`);
  const short = path.replace(/^(server|web|contract|http-engine)src\//, '$1/src/');
  const plain = word.replace(/\/\*?$/, '');
  if (endings.has(plain) || endings.has(short)) return true;
  return (
    plain.includes('*') &&
    everything.some((one) => new RegExp(`/${escape(plain).replaceAll('\\*', '[^/]*')}$`).test(one))
  );
}

/** Links between documents have existing targets, and every file or folder that documents name exists. */
function checkDocuments() {
  for (const file of [...find('*.md'), ...find('docs/**/*.md')]) {
    const text = read(file).replace(/^ *```[\s\S]*?^ *```$|^ *(?:New file|In|新文件) `.*[:：]$/gm, '');
    for (const [, target, heading] of text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)) {
      const path = target === '' ? file : join(dirname(file), target);
      if (!existsSync(join(root, path))) problems.push(`${file}: links to ${target}, which is not there`);
      else if (heading && !headingsOf(read(inEnglish(path))).includes(heading))
        problems.push(`${file}: links to ${target}#${heading}, which is no heading there`);
    }
    for (const [, word] of text.matchAll(/`([^`\n]+)`/g)) {
      if (namesPath(word) && !isThere(word)) problems.push(`${file}: names ${word}, which is not there`);
    }
  }
}

/** Every `….md` that source files cite is a file of `docs/` (with its heading); private notes are not cited. */
function checkCitations() {
  const sources = [
    ...find('packages/*/src/**/*.{ts,tsx,css}'),
    ...find('{e2e,bench,deploy,tools}/**/*.{ts,mjs}'),
  ].filter((file) => !file.includes('node_modules'));
  for (const file of sources) {
    const text = read(file);
    const comments = text
      .split('\n')
      .filter((line) => /^\s*(\*|\/\/|\/\*)/.test(line))
      .join('\n');
    for (const [, path, heading] of comments.matchAll(/([\w./-]+\.md)(?:#([\w-]+))?/g)) {
      if (path.startsWith('.') || !/^(docs\/|[\w-]+\.md$)/.test(path)) continue;
      const known = path.startsWith('docs/') || ['README.md', 'CONTRIBUTING.md'].includes(path);
      if (!known || !existsSync(join(root, path)))
        problems.push(`${file}: cites ${path}, which is not in docs/`);
      else if (heading && !headingsOf(read(path)).includes(heading))
        problems.push(`${file}: cites ${path}#${heading}, which is no heading there`);
    }
    if (file === 'tools/check-shape.mjs') continue;
    const note = /\b(wire-facts|specification \d)/.exec(text);
    if (note) problems.push(`${file}: cites "${note[1]}", which is not in the repository`);
  }
}

/** Pages that are written from tables, in both languages, match their tables. */
function checkWrittenPages() {
  for (const { tool, files, write } of [
    { tool: 'errors-page', files: errorsFiles, write: errorsPage },
    { tool: 'use-it-with', files: useItWithFiles, write: useItWithPage },
  ])
    for (const [language, file] of Object.entries(files))
      if (read(file) !== write(language))
        problems.push(`${file}: differs from its table; run node_modules/.bin/node tools/${tool}.mjs`);
}

/** Texts for people are in the contract, or in both languages side by side, so that every reader gets their own language. */
function checkTexts() {
  for (const file of find(`${server}/**/!(*.test).ts`)) {
    if (/\/(testing|test-support)\//.test(file)) continue;
    const source = read(file)
      .replace(/^\s*\/\*[\s\S]*?\*\//gm, '')
      .replace(/(^|\s)\/\/.*$/gm, '')
      .replace(/\bzh: (['"`]).*?\1,\s*en: (['"`])/g, '');
    const found = /.*\p{Script=Han}.*/u.exec(source)?.[0].trim();
    if (found) problems.push(`${file}: has a Chinese text that readers of English would see: ${found}`);
  }
}

/** The console uses consistent wording (wording.mjs). */
function checkWording() {
  for (const file of find(`${web}/**/*.{ts,tsx}`).filter((one) => !/\.test\.|\/testing\//.test(one)))
    problems.push(...wordingProblems(file, read(file)));
}

/**
 * Only `contract/src/product.ts` has the name of the product; scopes of packages and labels of derived keys keep it.
 * Tests write names on the wire as callers see them.
 */
function checkName() {
  const { id } = product;
  const sources = 'packages/*/{*.ts,src/**/*.{ts,tsx}},{tools,bench,deploy,e2e}/**/*.{ts,mts,mjs}';
  for (const file of find(`{${sources}}`)) {
    if (/\.test\.|\/testing\/|\/contract\/src\/product\.ts$|node_modules/.test(file)) continue;
    const code = read(file)
      .replace(/^\s*\/\*[\s\S]*?\*\//gm, '')
      .replace(/(^|\s)\/\/.*$/gm, '')
      .replaceAll(`@${id}/`, '')
      .replaceAll(new RegExp(`'${id} [a-z -]+ v\\d'`, 'g'), '');
    const found = new RegExp(`.*${id}.*`, 'i').exec(code)?.[0].trim();
    if (found) problems.push(`${file}: spells the product's name (take it from \`product\`): ${found}`);
  }
}

/** Alternatives of a pattern, each as a separate pattern, including the alternatives that it excludes by `(?!…)`. */
function alternatives(source) {
  const group = /\((\?!)?((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)/.exec(source);
  const bar = splitAtBars(source);
  if (bar.length > 1) return bar.flatMap(alternatives);
  if (!group) return [source];
  const before = source.slice(0, group.index);
  const behind = source.slice(group.index + group[0].length);
  const inside = splitAtBars(group[2]).map((each) => before + each + (group[1] ? '' : behind));
  return [...(group[1] ? [before + behind] : []), ...inside].flatMap(alternatives);
}

/** Parts of a pattern between bars outside all groups. */
function splitAtBars(source) {
  const parts = [''];
  let depth = 0;
  for (const one of source) {
    if (one === '(') depth += 1;
    if (one === ')') depth -= 1;
    if (one === '|' && depth === 0) parts.push('');
    else parts[parts.length - 1] += one;
  }
  return parts;
}

/** A moved file of ours must not drop out of its chunk: each path in the patterns of chunks.ts exists. */
function checkChunks() {
  const sources = find('packages/{web,contract}/src/**/*.{ts,tsx,css}');
  for (const { name, test } of chunkGroups.filter((group) => group.test)) {
    const ours = alternatives(test.source).filter(
      (each) => !/node_modules|@mantine|lucide|components/.test(each),
    );
    for (const each of ours)
      if (!sources.some((file) => new RegExp(each).test(file)))
        problems.push(`packages/web/chunks.ts: no file is at ${each.replaceAll('\\', '')} (${name})`);
  }
}

/** A hook that a helper registers at import runs for only one test file, because files share their modules. */
function checkTestHooks() {
  const config = read('vitest.config.ts');
  for (const file of find('{packages/*/src,e2e,deploy,bench}/**/*.{ts,tsx}')) {
    if (/\.test\.tsx?$/.test(file) || file.includes('node_modules') || config.includes(`'${file}'`)) continue;
    const hook = /^(?:before|after)(?:Each|All)(?=\()/m.exec(read(file))?.[0];
    if (hook)
      problems.push(`${file}: registers ${hook} when it is loaded (only a file of \`setupFiles\` may)`);
  }
}

checkRegistry(`${server}/relay/registry.ts`, `${server}/relay/providers`);
checkRegistry(`${server}/relay/protocols.ts`, `${server}/relay/protocols`);
checkProofs(`${server}/relay/providers`);
checkProofs(`${server}/relay/protocols`);
checkCalls();
checkPages();
checkMap();
checkDecisions();
checkDocuments();
checkCitations();
checkWrittenPages();
checkTexts();
checkWording();
checkTestHooks();
checkName();
checkChunks();

for (const problem of problems) console.error(problem);
console.log(`shape: ${declaredCalls().length} calls, ${problems.length} problems`);
process.exit(problems.length > 0 ? 1 : 0);
