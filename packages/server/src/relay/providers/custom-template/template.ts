import { product } from '@tollgate/contract';
import { isObject, type Json, type JsonObject, objectOf, parseObject } from '../../../lib/json.ts';
import { type Channel, refuse } from '../../types/index.ts';

/** Paths and headers of calls, as an operator writes them into a channel. */
export interface Template {
  /** Protocol → path below the base address. */
  paths: Readonly<Record<string, string>>;
  headers: Readonly<Record<string, string>>;
}

const defaultHeaders = { authorization: 'Bearer {key}' };
/** A second slash would begin a host, and some parsers read a backslash as a slash. */
const pathForm = /^\/(?![/\\])[^\s\\]*$/;
const nameForm = /^[\w!#$%&'*+.^`|~-]+$/;
const valueForm = /^[\t\x20-\x7e]*$/;
/** Headers of the connection, which a template cannot set. */
const reserved = new RegExp(
  `^(host|content-length|connection|transfer-encoding|upgrade|x-${product.id}-.*)$`,
  'i',
);

/** True for a path that does not change the host. */
export const isPath = (value: Json | undefined): value is string =>
  typeof value === 'string' && pathForm.test(value);

/** True for a header that a call may carry. */
export const isHeader = (name: string, value: Json | undefined): boolean =>
  typeof value === 'string' && nameForm.test(name) && valueForm.test(value) && !reserved.test(name);

const arePaths = (value: JsonObject): value is Record<string, string> => Object.values(value).every(isPath);
const areHeaders = (value: JsonObject): value is Record<string, string> =>
  Object.entries(value).every(([name, one]) => isHeader(name, one));

/**
 * The template in a channel's extra field; the default paths if it is empty. Throws RelayError with blame on the
 * channel if the template is invalid.
 */
export function readTemplate({ other }: Pick<Channel, 'other'>): Template {
  if (other.trim() === '') return { paths: {}, headers: defaultHeaders };
  const given = parseObject(other);
  if (!given) throw refuse('template_unusable', { detail: 'JSON' });
  const paths = objectOf(given.paths);
  const headers = isObject(given.headers) ? given.headers : defaultHeaders;
  if (!arePaths(paths)) throw refuse('template_unusable', { detail: 'paths' });
  if (!areHeaders(headers)) throw refuse('template_unusable', { detail: 'headers' });
  return { paths, headers };
}

/** The path with the model's name in place of `{model}`, as one segment. */
export const filledPath = (path: string, model: string): string =>
  path.replaceAll('{model}', encodeURIComponent(model).replace(/^\.+$/, '_'));

/** The headers with key and model in their places; without a key, headers that contain it are omitted. */
export function filledHeaders({ headers }: Template, key: string, model: string): Record<string, string> {
  const name = encodeURIComponent(model);
  const sent = Object.entries(headers).filter(([, value]) => key !== '' || !value.includes('{key}'));
  return Object.fromEntries(
    sent.map(([header, value]) => [
      header.toLowerCase(),
      value.replace(/\{(key|model)\}/g, (_all, what) => (what === 'key' ? key : name)),
    ]),
  );
}
