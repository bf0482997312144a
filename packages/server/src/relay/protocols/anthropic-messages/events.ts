import { isObject, type JsonObject, textOf } from '../../../lib/json.ts';

const types: ReadonlySet<string> = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'ping',
  'error',
]);

/** The type of an event: from its data or its name, otherwise derived from its fields. */
export function eventType(body: JsonObject, name: string): string {
  const type = textOf(body.type);
  if (types.has(type)) return type;
  if (types.has(name)) return name;
  if (isObject(body.message)) return 'message_start';
  if (isObject(body.content_block)) return 'content_block_start';
  if (isObject(body.delta)) return body.index === undefined ? 'message_delta' : 'content_block_delta';
  return isObject(body.usage) ? 'message_delta' : type;
}
