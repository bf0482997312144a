import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { consoleApis, type Route } from '@tollgate/contract';
import { SchemaWriter } from '../http/openapi/index.ts';
import { fail } from './shared/fail.ts';
import { type Fields, makeCall, readSite, siteVariables, wordOf } from './shared/site-calls.ts';

const usage = `Makes a management call and prints what it answers, as JSON:

  call [part]                     lists the calls, or those of a part
  call <part.call> --help         what the call takes
  call <part.call> name=value …   makes it; --body='{…}' gives fields as JSON, --body=- reads them

A value is text where the call takes text, else JSON. ${siteVariables}`;

/** Name of a call in this command: its group in the reference and its own name. */
interface NamedCall {
  name: string;
  route: Route;
}

const calls: readonly NamedCall[] = consoleApis.flatMap((part) =>
  Object.entries(part.calls).map(([name, route]) => ({ name: `${part.id}.${name}`, route })),
);

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
  const fields = readFields(found.route, words, JSON.parse(given) as Fields);
  const answer = await makeCall(readSite(values.url), found.route, fields);
  process.stdout.write('text' in answer ? answer.text : `${JSON.stringify(answer.json, null, 2)}\n`);
}

main().catch((error: unknown) => fail('The call was not made', error));
