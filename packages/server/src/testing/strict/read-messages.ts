import { isObject, type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../lib/json.ts';
import {
  checkParameters,
  filledList,
  imageType,
  need,
  newReading,
  noteTool,
  onlyKnown,
  type Reading,
  type ToldCall,
} from './reading.ts';

const known =
  'model max_tokens messages system tools tool_choice metadata stop_sequences stream temperature top_p top_k thinking ' +
  'output_config service_tier mcp_servers';

/** Reads a Messages request as Anthropic does (platform.claude.com/docs/en/api/messages/create). */
export function readStrictMessages(body: JsonObject): Reading {
  const reading = newReading();
  onlyKnown(reading, body, known, 'body');
  need(reading, typeof body.max_tokens === 'number' && body.max_tokens > 0, 'max_tokens');
  if (body.system !== undefined) reading.said.system.push(...wordsOf(reading, body.system, 'system'));
  let open: ToldCall[] = [];
  const turns = turnsOf(filledList(reading, body.messages, 'messages'));
  need(reading, turns[0]?.role === 'user', 'the first turn is not the user’s');
  for (const { role, content } of turns) {
    if (role === 'assistant') {
      need(reading, open.length === 0, 'calls without results');
      open = readAnswer(reading, content);
    } else open = readUser(reading, content, open);
  }
  need(reading, open.length === 0, 'calls without results at the end');
  for (const tool of objectsIn(body.tools)) {
    noteTool(reading, tool.name);
    // The vendor's own tools have no schema.
    if (tool.type !== undefined && tool.type !== 'custom') continue;
    checkParameters(reading, tool.input_schema, `input_schema of ${textOf(tool.name)}`);
    for (const name of Object.keys(objectOf(objectOf(tool.input_schema).properties)))
      need(reading, /^[\w.-]{1,64}$/.test(name), `property ${name}`);
  }
  const ids = reading.calls.map(({ id }) => id);
  need(reading, new Set(ids).size === ids.length, 'ids of calls twice');
  return reading;
}

/** Consecutive messages of one role form one turn. */
function turnsOf(messages: readonly JsonObject[]): { role: string; content: Json[] }[] {
  const turns: { role: string; content: Json[] }[] = [];
  for (const { role, content } of messages) {
    const blocks: Json[] = Array.isArray(content) ? content : [{ type: 'text', text: content ?? '' }];
    if (blocks.length === 0) blocks.push({ type: 'empty' });
    const last = turns.at(-1);
    if (last && last.role === role) last.content.push(...blocks);
    else turns.push({ role: textOf(role), content: [...blocks] });
  }
  return turns;
}

function readAnswer(reading: Reading, content: readonly Json[]): ToldCall[] {
  const calls: ToldCall[] = [];
  for (const block of objectsIn([...content])) {
    if (block.type === 'text') reading.said.assistant.push(wordOf(reading, block));
    else if (block.type === 'tool_use') {
      onlyKnown(reading, block, 'type id name input cache_control caller', 'tool_use');
      need(reading, /^[\w-]+$/.test(textOf(block.id)), `id ${textOf(block.id)} of a call`);
      need(reading, /^[\w-]{1,128}$/.test(textOf(block.name)), `call of ${textOf(block.name)}`);
      need(reading, isObject(block.input), 'input: no object');
      const input = JSON.stringify(block.input);
      calls.push({ id: textOf(block.id), name: textOf(block.name), input, words: [] });
    } else if (
      need(reading, /^(redacted_)?thinking$/.test(textOf(block.type)), `block ${textOf(block.type)}`)
    )
      need(reading, /^[^~]/.test(textOf(block.signature ?? block.data)), 'a foreign thought');
  }
  reading.calls.push(...calls);
  return calls;
}

function readUser(reading: Reading, content: readonly Json[], asked: readonly ToldCall[]): ToldCall[] {
  let open = [...asked];
  let hasSpoken = false;
  for (const block of objectsIn([...content])) {
    if (block.type !== 'tool_result') {
      hasSpoken = true;
      reading.said.user.push(...wordsOf(reading, [block], 'user'));
      continue;
    }
    onlyKnown(reading, block, 'type tool_use_id content is_error cache_control', 'tool_result');
    need(reading, !hasSpoken, 'a result behind other content');
    const call = open.find(({ id }) => id === block.tool_use_id);
    need(reading, call !== undefined, `result of ${textOf(block.tool_use_id)} without a call before it`);
    open = open.filter((each) => each !== call);
    if (block.content !== undefined) call?.words.push(...wordsOf(reading, block.content, 'result'));
  }
  return open;
}

/** Texts of a string or of blocks. Records files. */
function wordsOf(reading: Reading, content: Json, where: string): string[] {
  if (typeof content === 'string') {
    need(reading, where === 'result' || content.trim() !== '', `${where}: empty text`);
    return [content];
  }
  return objectsIn(content).map((block) => {
    if (block.type === 'text') return wordOf(reading, block);
    const source = objectOf(block.source);
    if (where !== 'system' && block.type === 'image') return readImage(reading, source);
    if (where !== 'system' && block.type === 'document') return readDocument(reading, source);
    if (where === 'result' && block.type === 'tool_reference') return textOf(block.tool_name);
    need(reading, false, `${where}: block ${textOf(block.type)}`);
    return '';
  });
}

function readImage(reading: Reading, source: JsonObject): string {
  const isUrl = source.type === 'url' && /^https?:/.test(textOf(source.url));
  need(
    reading,
    isUrl || (source.type === 'base64' && imageType.test(textOf(source.media_type))),
    'image source',
  );
  reading.files.push(textOf(source.data) || textOf(source.url));
  return '';
}

function readDocument(reading: Reading, source: JsonObject): string {
  if (source.type === 'text') return textOf(source.data);
  const isPdf = source.type === 'base64' && source.media_type === 'application/pdf';
  need(reading, isPdf || source.type === 'url', 'document source');
  reading.files.push(textOf(source.data) || textOf(source.url));
  return '';
}

function wordOf(reading: Reading, block: JsonObject): string {
  onlyKnown(reading, block, 'type text cache_control citations', 'text');
  need(reading, textOf(block.text).trim() !== '', 'text: empty');
  return textOf(block.text);
}
