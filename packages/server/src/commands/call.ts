import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { consoleApis, product, type Route } from '@tollgate/contract';
import { SchemaWriter } from '../http/openapi/index.ts';
import { fail } from './shared/fail.ts';

const prefix = product.id.toUpperCase();

const usage = `Makes a management call and prints what it answers, as JSON:

  call [part]                     lists the calls, or those of a part
  call <part.call> --help         what the call takes
  call <part.call> name=value …   makes it; --body='{…}' gives fields as JSON, --body=- reads them

A value is text where the call takes text, else JSON. Variables: ${prefix}_TOKEN (an access token, made under Profile),
${prefix}_USER (the id of its user; 1 by default), ${prefix}_URL (http://127.0.0.1:<PORT> by default; --url as well).
`;

/** Name of a call in this command: its group in the reference and its own name. */
interface NamedCall {
  name: string;
  route: Route;
}

const calls: readonly NamedCall[] = consoleApis.flatMap((part) =>
  Object.entries(part.calls).map(([name, route]) => ({ name: `${part.id}.${name}`, route })),
);

type Fields = Record<string, unknown>;

const wordOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The calls of a group with their summaries; all for ''. Throws for an unknown group. */
function list(part: string): string {
  const found = calls.filter(({ name }) => part === '' || name.startsWith(`${part}.`));
  if (found.length === 0) throw new Error(`there is no call or part ${part}; \`call\` lists them`);
  const width = Math.max(...found.map(({ name }) => name.length));
  return found.map(({ name, route }) => `${name.padEnd(width)}  ${route.summary.en}\n`).join('');
}

/** Description and fields of a call. */
function describe({ name, route }: NamedCall): string {
  const { properties, required } = new SchemaWriter('en').input(route.input);
  const fields = Object.entries(properties).map(([field, { description, type }]) => {
    const kind = Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : 'JSON';
    return `  ${field}${required.includes(field) ? '' : '?'} (${kind}) ${wordOf(description ?? '')}\n`;
  });
  return `${name}: ${route.summary.en}\n${route.method} ${route.path}\n${fields.join('')}`;
}

/** Reads `name=value`. A value that the call refuses as a text is parsed as JSON, if it is JSON. */
function readFields(route: Route, words: readonly string[], body: Fields): Fields {
  const given = words.map((word) => {
    const [, name = '', value = ''] = /^([^=]+)=([^]*)$/.exec(word) ?? [];
    if (name === '') throw new Error(`"${word}" is no name=value`);
    return [name, value] as const;
  });
  const texts = Object.fromEntries(given);
  const { error } = route.input.safeParse({ ...body, ...texts });
  const refused = new Set(error?.issues.map(({ path }) => path[0]));
  const read = ([name, value]: readonly [string, string]) => {
    if (!refused.has(name)) return [name, value];
    try {
      return [name, JSON.parse(value) as unknown];
    } catch {
      return [name, value];
    }
  };
  return { ...body, ...Object.fromEntries(given.map(read)) };
}

/** The request of a call: slots of the path, then query (GET, DELETE) or body. */
function requestOf({ method, path }: Route, fields: Fields): { path: string; body?: string } {
  const rest = { ...fields };
  const filled = path.replaceAll(/:(\w+)/g, (_slot, name: string) => {
    if (rest[name] === undefined) throw new Error(`${name} is missing`);
    const value = encodeURIComponent(wordOf(rest[name]));
    delete rest[name];
    return value;
  });
  if (method === 'POST' || method === 'PUT') return { path: filled, body: JSON.stringify(rest) };
  const words = Object.entries(rest).map(([name, value]) => [name, wordOf(value)] as const);
  const query = new URLSearchParams(Object.fromEntries(words)).toString();
  return { path: query === '' ? filled : `${filled}?${query}` };
}

interface Site {
  url: string;
  token: string;
  user: string;
}

/** Makes a call; returns its `data`, with any fields beside it. Throws with the site's message if refused. */
async function make(site: Site, route: Route, fields: Fields): Promise<string> {
  const { path, body } = requestOf(route, fields);
  const answer = await fetch(`${site.url.replace(/\/$/, '')}${path}`, {
    method: route.method,
    headers: {
      accept: 'application/json',
      'accept-language': 'en',
      'new-api-user': site.user,
      ...(site.token !== '' && { authorization: `Bearer ${site.token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  });
  const said = await answer.text();
  if (!(answer.headers.get('content-type') ?? '').includes('json')) {
    if (!answer.ok) throw new Error(`the site answered ${answer.status}`);
    return said;
  }
  const read = JSON.parse(said) as Fields | Fields[];
  const { success, message, ...rest } = Array.isArray(read) ? { success: answer.ok } : read;
  if (success === false || !answer.ok)
    throw new Error(wordOf(message || `the site answered ${answer.status}`));
  const isEnvelope = success === true && 'data' in rest;
  const shown = isEnvelope ? (Object.keys(rest).length === 1 ? rest['data'] : rest) : read;
  return `${JSON.stringify(shown, null, 2)}\n`;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { url: { type: 'string' }, body: { type: 'string' }, help: { type: 'boolean' } },
    allowPositionals: true,
  });
  const [wanted = '', ...words] = positionals;
  const found = calls.find(({ name }) => name === wanted);
  if (!found) return void process.stdout.write(values.help ? usage : list(wanted));
  if (values.help) return void process.stdout.write(describe(found));
  const given = values.body === '-' ? await text(process.stdin) : (values.body ?? '{}');
  const { env } = process;
  const site = {
    url: values.url ?? env[`${prefix}_URL`] ?? `http://127.0.0.1:${env['PORT'] ?? 3000}`,
    token: env[`${prefix}_TOKEN`] ?? '',
    user: env[`${prefix}_USER`] ?? '1',
  };
  const fields = readFields(found.route, words, JSON.parse(given) as Fields);
  process.stdout.write(await make(site, found.route, fields));
}

main().catch((error: unknown) => fail('The call was not made', error));
