import { product, type Route } from '@tollgate/contract';

/** Prefix of the environment variables of commands that call a site. */
const prefix = product.id.toUpperCase();

/** The variables that say which site is called, and by whom; for the texts of `--help`. */
export const siteVariables = `Variables: ${prefix}_TOKEN (an access token, made under Profile),
${prefix}_USER (the id of its user; 1 by default), ${prefix}_URL (http://127.0.0.1:<PORT> by default; --url as well).
`;

export type Fields = Record<string, unknown>;

export const wordOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

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

/** A site, and the access token that it is called with. */
export interface Site {
  url: string;
  token: string;
  user: string;
}

/** The site of the variables, or the one at `url`. */
export const readSite = (url: string | undefined, env = process.env): Site => ({
  url: url ?? env[`${prefix}_URL`] ?? `http://127.0.0.1:${env['PORT'] ?? 3000}`,
  token: env[`${prefix}_TOKEN`] ?? '',
  user: env[`${prefix}_USER`] ?? '1',
});

/**
 * Makes a call; returns its `data`, with any fields beside it, or the text of an answer that is not JSON. Throws with
 * the site's message if refused.
 */
export async function makeCall(
  site: Site,
  route: Route,
  fields: Fields,
): Promise<{ json: unknown } | { text: string }> {
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
    return { text: said };
  }
  const read = JSON.parse(said) as Fields | Fields[];
  const { success, message, ...rest } = Array.isArray(read) ? { success: answer.ok } : read;
  if (success === false || !answer.ok)
    throw new Error(wordOf(message || `the site answered ${answer.status}`));
  const isEnvelope = success === true && 'data' in rest;
  const shown = isEnvelope ? (Object.keys(rest).length === 1 ? rest['data'] : rest) : read;
  return { json: shown };
}
