import { existsSync } from 'node:fs';
import { product, role, type Route } from '@tollgate/contract';
import { readEnv } from '../../boot/env.ts';
import { installationOf } from '../../boot/installation.ts';
import { seconds, systemClock } from '../../lib/clock.ts';
import { sha256 } from '../../lib/hash.ts';
import { randomText } from '../../lib/random.ts';
import { accessTokens, openStore, users } from '../../store/index.ts';

/** Prefix of the environment variables of commands that call a site. */
const prefix = product.id.toUpperCase();

/** The variables that say which site is called, and by whom; for the texts of `--help`. */
export const siteVariables = `Variables: ${prefix}_TOKEN (an access token, made under Profile),
${prefix}_USER (the id of its user; 1 by default), ${prefix}_URL (http://127.0.0.1:<PORT> by default; --url as well).
Instead of a token, --local acts as root where the database of the site can be opened.
`;

/** Options that say which site is called, and by whom. */
export const siteOptions = { url: { type: 'string' }, local: { type: 'boolean' } } as const;

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
const readSite = (url: string | undefined, env = process.env): Site => ({
  url: url ?? env[`${prefix}_URL`] ?? `http://127.0.0.1:${env['PORT'] ?? 3000}`,
  token: env[`${prefix}_TOKEN`] ?? '',
  user: env[`${prefix}_USER`] ?? '1',
});

/**
 * Calls `use` with the site of the options and variables. With `local` it is called as its root, by an access token that is
 * written into the database, ends with `use`, and after an hour in any case. Throws if there is no such database.
 */
export async function withSite<T>(
  { url, local }: { url?: string; local?: boolean },
  use: (site: Site) => Promise<T>,
): Promise<T> {
  const site = readSite(url);
  if (!local) return use(site);
  const env = readEnv(process.env);
  const files = installationOf(env);
  if (files && !existsSync(files.database)) throw new Error(`there is no database ${files.database}`);
  const store = await openStore({ url: env.databaseUrl, dataDir: env.dataDir });
  try {
    const [root] = await users.withRole(store.db, role.root);
    if (!root) throw new Error('the database has no root: the site is not set up');
    const token = randomText(32);
    const now = seconds(systemClock);
    const row = { user_id: root.id, name: 'command line', scope: 'all', created_time: now } as const;
    const times = { used_time: 0, expires_time: now + 3_600, token_hash: sha256(token) };
    const id = await accessTokens.create(store.db, { ...row, ...times });
    try {
      return await use({ ...site, token, user: String(root.id) });
    } finally {
      await accessTokens.remove(store.db, { id, user_id: root.id });
    }
  } finally {
    await store.close();
  }
}

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
