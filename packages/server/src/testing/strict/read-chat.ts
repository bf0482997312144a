import { isObject, type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../lib/json.ts';
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
  type ToldCall,
} from './reading.ts';

/** Reads a chat completion request as OpenAI does (platform.openai.com/docs/api-reference/chat/create). */
export function readStrictChat(body: JsonObject): Reading {
  const reading = newReading();
  /** Calls without a result so far. Must be empty before any other message. */
  let open: ToldCall[] = [];
  for (const message of filledList(reading, body.messages, 'messages')) {
    onlyKnown(
      reading,
      message,
      'role content name tool_calls tool_call_id refusal audio reasoning_content reasoning_details',
      'message',
    );
    if (message.role !== 'tool') {
      need(
        reading,
        open.length === 0,
        `calls ${open.map(({ id }) => id).join()} without results before ${textOf(message.role)}`,
      );
      open = [];
    }
    switch (message.role) {
      case 'system':
      case 'developer':
        reading.said.system.push(...wordsIn(reading, message.content, 'text'));
        break;
      case 'user':
        reading.said.user.push(...wordsIn(reading, message.content, 'text image_url input_audio file'));
        break;
      case 'assistant':
        open = readAnswer(reading, message);
        break;
      case 'tool': {
        const call = open.find(({ id }) => id === message.tool_call_id);
        need(
          reading,
          call !== undefined,
          `result of ${textOf(message.tool_call_id)} without a call before it`,
        );
        open = open.filter((each) => each !== call);
        call?.words.push(...wordsIn(reading, message.content, 'text'));
        break;
      }
      default:
        need(reading, false, `role ${textOf(message.role)}`);
    }
  }
  need(reading, open.length === 0, 'calls without results at the end');
  for (const tool of objectsIn(body.tools)) {
    const { name, parameters } = objectOf(tool.function);
    need(reading, tool.type === 'function', `tool of type ${textOf(tool.type)}`);
    noteTool(reading, name);
    if (parameters !== undefined) checkParameters(reading, parameters, `parameters of ${textOf(name)}`);
  }
  need(reading, body.tools === undefined || reading.tools.length > 0, 'tools: empty');
  return reading;
}

function readAnswer(reading: Reading, { content, tool_calls: calls, refusal }: JsonObject): ToldCall[] {
  const isEmpty = content === null || content === undefined;
  need(
    reading,
    !isEmpty || calls !== undefined || typeof refusal === 'string',
    'assistant: neither content nor calls',
  );
  if (!isEmpty) reading.said.assistant.push(...wordsIn(reading, content, 'text refusal'));
  if (calls === undefined) return [];
  const told = filledList(reading, calls, 'tool_calls').map((call): ToldCall => {
    const { name, arguments: input } = objectOf(call.function);
    need(reading, /^.{1,40}$/s.test(textOf(call.id)), `id ${textOf(call.id)} of a call`);
    need(reading, call.type === 'function' && functionName.test(textOf(name)), `call of ${textOf(name)}`);
    need(reading, typeof input === 'string', 'arguments: no text');
    return { id: textOf(call.id), name: textOf(name), input: textOf(input), words: [] };
  });
  need(reading, new Set(told.map(({ id }) => id)).size === told.length, 'ids of calls twice');
  reading.calls.push(...told);
  return told;
}

/** Texts of a content with parts of these types. */
function wordsIn(reading: Reading, content: Json | undefined, types: string): string[] {
  if (typeof content === 'string') return [content];
  return filledList(reading, content, 'content').map((part) => {
    need(
      reading,
      types.split(' ').includes(textOf(part.type)),
      `content of type ${textOf(part.type)} among ${types}`,
    );
    if (part.type === 'image_url') {
      need(reading, isObject(part.image_url), 'image_url: no object');
      readUrl(reading, objectOf(part.image_url).url, imageType, 'image_url');
    } else if (part.type === 'file') {
      const { file_data: data, filename } = objectOf(part.file);
      need(reading, textOf(filename) !== '', 'file without a name');
      readUrl(reading, data, /^application\/pdf$/, 'file_data');
    } else need(reading, part.type === 'refusal' || textOf(part.text) !== '', 'text: empty');
    return textOf(part.text) || textOf(part.refusal);
  });
}
