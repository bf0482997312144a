import { consoleApis, type Route } from '@tollgate/contract';
import { SchemaWriter } from '../../http/openapi/index.ts';
import { wordOf } from './site-calls.ts';

/** A management call by the name that commands use: its group in the reference, a dot, and its own name. */
export interface NamedCall {
  name: string;
  route: Route;
}

export const namedCalls: readonly NamedCall[] = consoleApis.flatMap((part) =>
  Object.entries(part.calls).map(([name, route]) => ({ name: `${part.id}.${name}`, route })),
);

/** The calls of a group with their summaries, a line each; all for ''. Throws for an unknown group. */
export function listCalls(part: string, calls = namedCalls): string {
  const found = calls.filter(({ name }) => part === '' || name.startsWith(`${part}.`));
  if (found.length === 0) throw new Error(`there is no call or part ${part}; \`call\` lists them`);
  const width = Math.max(...found.map(({ name }) => name.length));
  return found.map(({ name, route }) => `${name.padEnd(width)}  ${route.summary.en}\n`).join('');
}

/** Description and fields of a call. */
export function describeCall({ name, route }: NamedCall): string {
  const { properties, required } = new SchemaWriter('en').input(route.input);
  const fields = Object.entries(properties).map(([field, { description, type }]) => {
    const kind = Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : 'JSON';
    return `  ${field}${required.includes(field) ? '' : '?'} (${kind}) ${wordOf(description ?? '')}\n`;
  });
  return `${name}: ${route.summary.en}\n${route.method} ${route.path}\n${fields.join('')}`;
}
