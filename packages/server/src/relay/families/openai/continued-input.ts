import { isObject, type Json, type JsonObject, objectsIn, textOf } from '../../../lib/json.ts';
import { refuse } from '../../types/index.ts';

/** Prefixes of ids by the type of an item; others get the type itself. */
const prefixes: Readonly<Record<string, string>> = {
  message: 'msg',
  function_call: 'fc',
  function_call_output: 'fco',
  reasoning: 'rs',
};

/** The items of a request's input, each with its type and an id; a text is a message of the user. */
export function inputItems(input: Json | undefined, requestId: string): JsonObject[] {
  const items: JsonObject[] =
    typeof input === 'string'
      ? [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }]
      : objectsIn(input);
  return items.map((item, index) => {
    const type = textOf(item.type) || 'message';
    const id = textOf(item.id) || `${prefixes[type] ?? type}_${requestId}_in${index}`;
    return { ...item, id, type };
  });
}

/**
 * The input of a call that continues a response: the conversation before it, its output, and the new input. The ids of
 * messages and calls are left out, because the next vendor may look for them among its own.
 */
export function continuedInput(
  { input: before, response }: { input: readonly JsonObject[]; response: JsonObject },
  input: Json | undefined,
): Json[] {
  const former = [...before, ...objectsIn(response.output)].map((item) => {
    const { id: _, status: __, ...rest } = item;
    return item.type === 'reasoning' ? item : rest;
  });
  if (typeof input === 'string') return [...former, { role: 'user', content: input }];
  return [...former, ...(Array.isArray(input) ? input : [])];
}

/** The first words of a message that stands for a compaction. */
const summaryStart = 'Summary of the conversation so far:\n\n';

/** True for a message that stands for a compaction. */
export const isSummary = ({ content }: JsonObject): boolean =>
  typeof content === 'string' && content.startsWith(summaryStart);

/**
 * The input with a message of the user in place of each compaction that `open` reads; it returns undefined for those of
 * vendors, which stay. Undefined if there is none to replace.
 */
export function withSummaries(
  input: Json | undefined,
  open: (sealed: string) => string | undefined,
): Json[] | undefined {
  if (!Array.isArray(input)) return undefined;
  let isChanged = false;
  const items = input.map((item) => {
    if (!isObject(item) || item.type !== 'compaction') return item;
    const summary = open(textOf(item.encrypted_content));
    if (summary === undefined) return item;
    isChanged = true;
    return { role: 'user', content: `${summaryStart}${summary}` };
  });
  return isChanged ? items : undefined;
}

/**
 * A list's part for `GET /v1/responses/{id}/input_items`: the newest first unless `order` is `asc`. Throws for an item that
 * it does not have, after which a client would begin anew.
 */
export function listItems(items: readonly JsonObject[], query: URLSearchParams): JsonObject {
  const ordered = query.get('order') === 'asc' ? items : items.toReversed();
  const last = query.get('after') ?? '';
  const after = ordered.findIndex(({ id }) => id === last);
  if (last !== '' && after < 0) throw refuse('invalid_query');
  const limit = Math.min(100, Math.max(1, Math.floor(Number(query.get('limit'))) || 20));
  const rest = ordered.slice(after + 1);
  const data = rest.slice(0, limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: rest.length > data.length,
  };
}

/** True if a continued input can be written: other kinds are refused as they are. */
export const isInput = (input: Json | undefined): boolean =>
  input === undefined ||
  input === null ||
  typeof input === 'string' ||
  (Array.isArray(input) && input.every(isObject));
