import { maxTags, maxTagValue, parseTags, product, runTag, tagName, type Tags } from '@tollgate/contract';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { refuse } from '../../relay/types/index.ts';
import { runLevels } from '../../services/money/budgets/index.ts';
import type { RelayCall } from '../call/index.ts';
import { readRunPath } from './run.ts';

const header = product.headers.tags;

/**
 * The tags of a call: its run, those of its header, then those of its body: OpenAI's `user` and `metadata`, and
 * Anthropic's `metadata.user_id`, which is also named `user`. An invalid header is refused (`tags_invalid`). A body
 * follows the limits of another vendor, so its tags are cut or left out if they do not fit.
 */
export function readTags(call: Pick<RelayCall, 'req' | 'caller'>, json: JsonObject): Tags | undefined {
  const asked = call.req.headers[header];
  const own = asked === undefined ? {} : parseTags(String(asked));
  if (!own) throw refuse('tags_invalid', { header });
  const tags = new Map(Object.entries(own));
  const run = readRunPath(call);
  if (run !== undefined) for (const [n, path] of runLevels(run).entries()) tags.set(runTag(n + 1), path);
  const { user, metadata } = json;
  const fields = isObject(metadata) ? metadata : {};
  for (const [name, value] of [
    ['user', user],
    ['user', fields['user_id']],
    ...Object.entries(fields),
  ] as const) {
    if (tags.size >= maxTags) break;
    const isKnown = tags.has(name) || (name === 'user_id' && tags.get('user') === value);
    if (isKnown || !tagName.test(name) || (typeof value !== 'string' && typeof value !== 'number')) continue;
    const text = wellFormed(String(value)).slice(0, maxTagValue);
    if (text !== '') tags.set(name, text);
  }
  return tags.size === 0 ? undefined : Object.fromEntries(tags);
}

/** Without NUL, which PostgreSQL refuses, and without lone surrogates, which databases cannot store. */
const wellFormed = (text: string): string => text.replaceAll('\0', '').toWellFormed();
