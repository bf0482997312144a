import type { Extra, Message, Part } from '../../types/index.ts';
import { isObject, type Json, type JsonObject, objectsIn, textOf } from '../../../lib/json.ts';
import { withoutReferences } from '../../families/openai/index.ts';
import { foundTool } from '../../conversation/index.ts';
import { wrapInput } from './custom-tools.ts';
import { callOf } from './hosted/read-call.ts';
import { flatName, isClientSearch, searchName, toolsIn } from './namespaces.ts';
import { joinTexts, readContent } from './read-parts.ts';
import { readEncrypted } from './signature.ts';

const own = (fields: JsonObject): Extra => ({ protocol: 'openai-responses', fields });
const roles = new Set(['system', 'developer', 'user', 'assistant']);

/**
 * Items that other protocols may omit: runs of hosted tools with results in the text that follows. Any other item without
 * a neutral form is essential.
 */
const reports = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_list_tools',
  'mcp_call',
]);

/** Reads `input` into messages. Output, reasoning and calls of one assistant turn become one message. */
export function readInput(input: Json | undefined): Message[] {
  if (typeof input === 'string') return [{ role: 'user', parts: readContent(input) }];
  const messages: Message[] = [];
  let hasSpoken = false;
  for (const item of withoutReferences(objectsIn(input)).filter(isObject)) {
    // Read with the tools.
    if (item.type === 'additional_tools') continue;
    const message = readItem(item);
    const last = messages.at(-1);
    const speaks = message.parts.some(({ type }) => type === 'text' || type === 'refusal');
    // Two texts in a row are from two messages.
    if (message.role === 'assistant' && last?.role === 'assistant' && !(hasSpoken && speaks)) {
      for (const part of message.parts) last.parts.push(part);
      hasSpoken ||= speaks;
    } else {
      messages.push(message);
      hasSpoken = speaks;
    }
  }
  return messages;
}

function readItem(item: JsonObject): Message {
  switch (item.type) {
    case undefined:
    case 'message':
      return { role: roleOf(item.role), parts: readContent(item.content) };
    case 'function_call':
      return assistant(readCall(item, textOf(item.arguments)));
    case 'custom_tool_call':
      return assistant(readCall(item, wrapInput(textOf(item.input))));
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { role: 'tool', parts: [readResult(item)] };
    case 'tool_search_call':
    case 'tool_search_output':
      return readToolSearch(item);
    case 'reasoning':
      return assistant(readThoughts(item));
    default: {
      const extra = own(item);
      const type = textOf(item.type);
      if (!reports.has(type)) extra.essential = [type];
      const call = callOf(item);
      return assistant({ type: 'other', ...(call && { call }), extra });
    }
  }
}

/** The caller's own search is a call of a function. The findings of the vendor's search are offered as tools. */
function readToolSearch(item: JsonObject): Message {
  if (!isClientSearch(item)) return assistant({ type: 'other', extra: own(item) });
  const id = textOf(item.call_id);
  if (item.type === 'tool_search_call') {
    const input = JSON.stringify(item.arguments ?? {});
    return assistant({ type: 'tool-call', id, name: searchName, input, extra: own(item) });
  }
  const names = toolsIn(item.tools).map(({ tool, namespace }) => flatName(namespace, textOf(tool.name)));
  const text = names.length > 0 ? names.map(foundTool).join('\n') : 'No tools were found.';
  const part: Part = {
    type: 'tool-result',
    id,
    parts: [{ type: 'text', text }],
    isError: false,
    extra: own(item),
  };
  return { role: 'tool', parts: [part] };
}

const assistant = (part: Part): Message => ({ role: 'assistant', parts: [part] });

const roleOf = (role: Json | undefined): Message['role'] =>
  roles.has(textOf(role)) ? (role as Message['role']) : 'user';

function readCall(item: JsonObject, input: string): Part {
  const id = textOf(item.call_id) || textOf(item.id);
  const { type, name, namespace } = item;
  const extra = own(namespace === undefined ? { type } : { type, name, namespace });
  return { type: 'tool-call', id, name: flatName(textOf(namespace), textOf(name)), input, extra };
}

function readResult(item: JsonObject): Part {
  const { output } = item;
  const parts =
    typeof output === 'string' || Array.isArray(output)
      ? readContent(output)
      : [{ type: 'text' as const, text: JSON.stringify(output ?? '') }];
  return {
    type: 'tool-result',
    id: textOf(item.call_id),
    parts,
    isError: false,
    extra: own({ type: item.type }),
  };
}

function readThoughts(item: JsonObject): Part {
  const encrypted = textOf(item.encrypted_content);
  return {
    type: 'reasoning',
    text: joinTexts(item.summary) || joinTexts(item.content),
    ...(encrypted !== '' && readEncrypted(encrypted)),
    ...(typeof item.id === 'string' && { extra: own({ id: item.id }) }),
  };
}
