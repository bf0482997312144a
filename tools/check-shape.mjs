// Checks that what belongs together stands together: a folder with its line in a registry, a call with its handler and
// its test, a page with its entry, the map of the folders with the folders, and the words of the documents with the code.
import { existsSync, globSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { providers } from '../packages/server/src/relay/registry.ts';

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

/** Every folder has at least one test of its own. */
function checkTests(folder) {
  for (const name of foldersIn(folder)) {
    if (find(`${folder}/${name}/**/*.test.ts`).length === 0) problems.push(`${folder}/${name}: has no test`);
  }
}

/** The calls that `contract/src/api` declares: api, name, method, path. */
function declaredCalls() {
  return find('packages/contract/src/api/*.ts').flatMap((file) => {
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

/** A path as tests write it: with a value or a `${…}` in each slot, a trailing slash or a query behind it. */
function pathPattern(path) {
  const pieces = path.split('/').map((piece) => (piece.startsWith(':') ? '[^\'"`/?]+' : escape(piece)));
  return new RegExp(`['"\`]${pieces.join('/').replace(/\/$/, '')}/?(\\?[^'"\`]*)?['"\`]`);
}

/** Every declared call has a handler (TypeScript sees to each name once its api is implemented) and a test that calls it. */
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

/** Every page file of a feature is an entry of the page list. */
function checkPages() {
  const list = read(`${web}/app/pages.ts`);
  for (const file of find(`${web}/features/**/{page,*-page}.tsx`)) {
    const path = relative(`${web}/app`, file);
    if (!list.includes(path)) problems.push(`${file}: is not listed in app/pages.ts`);
  }
}

/** What the registry says in words about keys and extra values is told in Chinese too; formats have no blank. */
function checkHints() {
  const file = `${web}/features/channels/provider-hints.ts`;
  const text = read(file);
  const isTold = (hint) =>
    [`'${hint}'`, JSON.stringify(hint)].some((literal) => text.includes(`en: ${literal}`));
  for (const { id, hints } of providers) {
    for (const hint of [hints.key, hints.other]) {
      if (hint.includes(' ') && !isTold(hint)) problems.push(`${file}: has no Chinese for "${hint}" (${id})`);
    }
  }
}

/** docs/architecture.md has one line for each folder of two levels, and names no other. */
function checkMap() {
  const map = 'docs/architecture.md';
  const named = [...read(map).matchAll(/^- `([^`]+)\/` /gm)].map(([, path]) => path);
  const sources = ['packages/contract/src', server, web];
  const inSources = sources.flatMap((source) => [
    source,
    ...foldersIn(source).flatMap((one) => [
      `${source}/${one}`,
      ...foldersIn(`${source}/${one}`).map((two) => `${source}/${one}/${two}`),
    ]),
  ]);
  const isEmpty = (path) => find(`${path}/**/*.*`).length === 0;
  const others = ['docs', 'docs/decisions', 'docs/how-to', 'docs/protocols', 'tools', 'bench', 'e2e'];
  const expected = [...inSources, ...others].filter((path) => !isEmpty(path));
  for (const path of expected) if (!named.includes(path)) problems.push(`${map}: does not name ${path}/`);
  for (const path of named) {
    if (!existsSync(join(root, path)) || isEmpty(path))
      problems.push(`${map}: names ${path}/, which is not there`);
  }
  for (const path of named.filter((one, index) => named.indexOf(one) !== index)) {
    problems.push(`${map}: names ${path}/ twice`);
  }
}

/** Every decision has a number of its own and says where it came from, what was chosen and what that costs. */
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

/** The anchors of a document's headings, as they are made from their words on the web. */
const headingsOf = (text) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, words]) =>
    words
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** Links between documents lead somewhere, and files that documents name are there. */
function checkDocuments() {
  for (const file of [...find('*.md'), ...find('docs/**/*.md')]) {
    const text = read(file);
    for (const [, target, heading] of text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)) {
      const path = target === '' ? file : join(dirname(file), target);
      if (!existsSync(join(root, path))) problems.push(`${file}: links to ${target}, which is not there`);
      else if (heading && !headingsOf(read(path)).includes(heading))
        problems.push(`${file}: links to ${target}#${heading}, which is no heading there`);
    }
    for (const [, path] of text.matchAll(/`((?:packages|tools|docs|bench|e2e|\.ci)\/[\w./-]+)`/g)) {
      if (!existsSync(join(root, path))) problems.push(`${file}: names ${path}, which is not there`);
    }
  }
}

checkRegistry(`${server}/relay/registry.ts`, `${server}/relay/providers`);
checkRegistry(`${server}/relay/protocols.ts`, `${server}/relay/protocols`);
checkTests(`${server}/relay/protocols`);
checkCalls();
checkPages();
checkHints();
checkMap();
checkDecisions();
checkDocuments();

for (const problem of problems) console.error(problem);
console.log(`shape: ${declaredCalls().length} calls, ${problems.length} problems`);
process.exit(problems.length > 0 ? 1 : 0);
