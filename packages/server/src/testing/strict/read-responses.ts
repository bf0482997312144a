import { type Json, type JsonObject, objectsIn, textOf } from '../../lib/json.ts';
import {
  checkParameters,
  filledList,
  functionName,
  imageType,
  need,
  newReading,
  noteTool,
  onlyKnown,
  type Reading,
  readUrl,
} from './reading.ts';

/** Reads a request for a response as OpenAI does (platform.openai.com/docs/api-reference/responses/create). */
export function readStrictResponses(body: JsonObject): Reading {
  const reading = newReading();
  if (typeof body.instructions === 'string') reading.said.system.push(body.instructions);
  if (typeof body.input === 'string') reading.said.user.push(body.input);
  else for (const item of filledList(reading, body.input, 'input')) readItem(reading, item);
  for (const { id, words } of reading.calls) need(reading, words.length > 0, `no output of ${id}`);
  for (const tool of objectsIn(body.tools)) {
    noteTool(reading, tool.name);
    if (tool.type === 'custom') continue;
    need(reading, tool.type === 'function', `tool of type ${textOf(tool.type)}`);
    checkParameters(reading, tool.parameters, `parameters of ${textOf(tool.name)}`);
  }
  return reading;
}

function readItem(reading: Reading, item: JsonObject): void {
  switch (item.type) {
    case undefined:
    case 'message': {
      onlyKnown(reading, item, 'type id role content status phase', 'message');
      const role = item.role === 'developer' ? 'system' : item.role;
      if (role === 'system' || role === 'user')
        reading.said[role].push(...wordsIn(reading, item.content, 'input_text input_image input_file'));
      else if (need(reading, role === 'assistant', `role ${textOf(role)}`))
        reading.said.assistant.push(...wordsIn(reading, item.content, 'output_text refusal'));
      return;
    }
    case 'function_call':
    case 'custom_tool_call': {
      const isCustom = item.type === 'custom_tool_call';
      onlyKnown(
        reading,
        item,
        `type id call_id name namespace status ${isCustom ? 'input' : 'arguments'}`,
        item.type,
      );
      const input = isCustom ? item.input : item.arguments;
      const id = textOf(item.call_id);
      need(reading, /^.{1,64}$/s.test(id), `call_id ${id}`);
      need(
        reading,
        reading.calls.every((call) => call.id !== id),
        `call_id ${id} twice`,
      );
      need(reading, functionName.test(textOf(item.name)), `call of ${textOf(item.name)}`);
      need(reading, typeof input === 'string', 'arguments: no text');
      reading.calls.push({ id, name: textOf(item.name), input: textOf(input), words: [] });
      return;
    }
    case 'function_call_output':
    case 'custom_tool_call_output': {
      onlyKnown(reading, item, 'type id call_id output status', item.type);
      const call = reading.calls.find(({ id }) => id === item.call_id);
      need(reading, call !== undefined, `output of ${textOf(item.call_id)} without a call before it`);
      call?.words.push(...wordsIn(reading, item.output, 'input_text input_image input_file'));
      return;
    }
    case 'reasoning':
      onlyKnown(reading, item, 'type id summary content encrypted_content status', 'reasoning');
      need(reading, Array.isArray(item.summary), 'reasoning without summary');
      return;
    default:
      need(reading, false, `item ${textOf(item.type)}`);
  }
}

function wordsIn(reading: Reading, content: Json | undefined, types: string): string[] {
  if (typeof content === 'string') return [content];
  return filledList(reading, content, 'content').map((part) => {
    need(
      reading,
      types.split(' ').includes(textOf(part.type)),
      `content of type ${textOf(part.type)} among ${types}`,
    );
    if (part.type === 'input_image') readUrl(reading, part.image_url, imageType, 'image_url');
    if (part.type === 'input_file') {
      need(reading, part.file_data === undefined || textOf(part.filename) !== '', 'file without a name');
      readUrl(reading, part.file_data ?? part.file_url, /^application\/pdf$/, 'file_data');
    }
    return textOf(part.text) || textOf(part.refusal);
  });
}
