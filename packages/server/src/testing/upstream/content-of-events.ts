import { isObject, type JsonObject, objectOf, objectsIn, textOf } from '../../lib/json.ts';
import type { TextProtocol } from './answer-events.ts';
import { type AnswerMedia, mediaOf, picturesIn } from './answer-media.ts';

/**
 * Content of a stream for the caller of a protocol: its text with the names and arguments of calls, its thoughts, and
 * its images and sound outside the text.
 */
export interface EventContent {
  output: string;
  reasoning: string;
  calls: number;
  media: AnswerMedia[];
}

/** Reads the events of a stream; all are complete. */
export function contentOfEvents(protocol: TextProtocol, stream: string): EventContent {
  const content: EventContent = { output: '', reasoning: '', calls: 0, media: [] };
  for (const line of stream.split(/\r?\n/)) {
    if (!line.startsWith('data: {')) continue;
    const body = JSON.parse(line.slice(6)) as JsonObject;
    readers[protocol](body, content);
    content.media.push(...mediaOf[protocol](body));
  }
  const { text, media } = picturesIn(content.output);
  return { ...content, output: text, media: [...content.media, ...media] };
}

/** Only the text, with the names and arguments of calls. */
export const textOfEvents = (protocol: TextProtocol, stream: string): string =>
  contentOfEvents(protocol, stream).output;

const readers: Record<TextProtocol, (body: JsonObject, content: EventContent) => void> = {
  'openai-chat': (body, content) => {
    const delta = objectOf(objectsIn(body.choices)[0]?.delta);
    content.output += textOf(delta.content);
    content.reasoning += textOf(delta.reasoning_content);
    for (const call of objectsIn(delta.tool_calls)) {
      const { name, arguments: args } = objectOf(call.function);
      if (textOf(name) !== '') content.calls += 1;
      content.output += textOf(name) + textOf(args);
    }
  },
  'openai-completions': (body, content) => {
    content.output += textOf(objectsIn(body.choices)[0]?.text);
  },
  'openai-responses': (body, content) => {
    const type = textOf(body.type);
    if (type === 'response.output_text.delta' || type === 'response.function_call_arguments.delta')
      content.output += textOf(body.delta);
    else if (type.startsWith('response.reasoning') && type.endsWith('text.delta'))
      content.reasoning += textOf(body.delta);
    else if (type === 'response.output_item.added' && objectOf(body.item).type === 'function_call') {
      content.calls += 1;
      content.output += textOf(objectOf(body.item).name);
    }
  },
  'anthropic-messages': (body, content) => {
    const delta = objectOf(body.delta);
    const block = objectOf(body.content_block);
    content.output += textOf(delta.text) + textOf(delta.partial_json);
    content.reasoning += textOf(delta.thinking);
    if (block.type !== 'tool_use') return;
    content.calls += 1;
    content.output += textOf(block.name);
  },
  gemini: (body, content) => {
    for (const part of objectsIn(objectOf(objectsIn(body.candidates)[0]?.content).parts)) {
      if (part.thought === true) content.reasoning += textOf(part.text);
      else content.output += textOf(part.text);
      if (!isObject(part.functionCall)) continue;
      content.calls += 1;
      content.output += textOf(part.functionCall.name) + JSON.stringify(part.functionCall.args);
    }
  },
};
