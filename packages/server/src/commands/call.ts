import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import type { Route } from '@tollgate/contract';
import { fail } from './shared/fail.ts';
import { describeCall, listCalls, namedCalls } from './shared/named-calls.ts';
import { type Fields, makeCall, siteOptions, siteVariables, withSite } from './shared/site-calls.ts';

const usage = `Makes a management call and prints what it answers, as JSON:

  call [part]                     lists the calls, or those of a part
  call <part.call> --help         what the call takes
  call <part.call> name=value …   makes it; --body='{…}' gives fields as JSON, --body=- reads them

A value is text where the call takes text, else JSON. ${siteVariables}`;

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
    options: { ...siteOptions, body: { type: 'string' }, help: { type: 'boolean' } },
    allowPositionals: true,
  });
  const [wanted = '', ...words] = positionals;
  const found = namedCalls.find(({ name }) => name === wanted);
  if (!found) return void process.stdout.write(values.help ? usage : listCalls(wanted));
  if (values.help) return void process.stdout.write(describeCall(found));
  const given = values.body === '-' ? await text(process.stdin) : (values.body ?? '{}');
  const fields = readFields(found.route, words, JSON.parse(given) as Fields);
  const answer = await withSite(values, (site) => makeCall(site, found.route, fields));
  process.stdout.write('text' in answer ? answer.text : `${JSON.stringify(answer.json, null, 2)}\n`);
}

main().catch((error: unknown) => fail('The call was not made', error));
