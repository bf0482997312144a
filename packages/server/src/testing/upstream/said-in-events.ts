import { isObject, type JsonObject, objectOf, objectsIn, textOf } from '../../lib/json.ts';
import type { TextProtocol } from './answer-events.ts';

/** What the caller of a protocol reads in a stream: its words with the names and arguments of calls, and its thoughts. */
export interface SaidInEvents {
  output: string;
  reasoning: string;
  calls: number;
}

/** Reads the events of a stream, whole ones. */
export function saidInEvents(protocol: TextProtocol, stream: string): SaidInEvents {
  const said: SaidInEvents = { output: '', reasoning: '', calls: 0 };
  for (const line of stream.split(/\r?\n/)) {
    if (line.startsWith('data: {')) readers[protocol](JSON.parse(line.slice(6)) as JsonObject, said);
  }
  return said;
}

/** The words alone, with the names and arguments of calls. */
export const textOfEvents = (protocol: TextProtocol, stream: string): string =>
  saidInEvents(protocol, stream).output;

const readers: Record<TextProtocol, (body: JsonObject, said: SaidInEvents) => void> = {
  'openai-chat': (body, said) => {
    const delta = objectOf(objectsIn(body.choices)[0]?.delta);
    said.output += textOf(delta.content);
    said.reasoning += textOf(delta.reasoning_content);
    for (const call of objectsIn(delta.tool_calls)) {
      const { name, arguments: args } = objectOf(call.function);
      if (textOf(name) !== '') said.calls += 1;
      said.output += textOf(name) + textOf(args);
    }
  },
  'openai-completions': (body, said) => {
    said.output += textOf(objectsIn(body.choices)[0]?.text);
  },
  'openai-responses': (body, said) => {
    const type = textOf(body.type);
    if (type === 'response.output_text.delta' || type === 'response.function_call_arguments.delta')
      said.output += textOf(body.delta);
    else if (type.startsWith('response.reasoning') && type.endsWith('text.delta'))
      said.reasoning += textOf(body.delta);
    else if (type === 'response.output_item.added' && objectOf(body.item).type === 'function_call') {
      said.calls += 1;
      said.output += textOf(objectOf(body.item).name);
    }
  },
  'anthropic-messages': (body, said) => {
    const delta = objectOf(body.delta);
    const block = objectOf(body.content_block);
    said.output += textOf(delta.text) + textOf(delta.partial_json);
    said.reasoning += textOf(delta.thinking);
    if (block.type !== 'tool_use') return;
    said.calls += 1;
    said.output += textOf(block.name);
  },
  gemini: (body, said) => {
    for (const part of objectsIn(objectOf(objectsIn(body.candidates)[0]?.content).parts)) {
      if (part.thought === true) said.reasoning += textOf(part.text);
      else said.output += textOf(part.text);
      if (!isObject(part.functionCall)) continue;
      said.calls += 1;
      said.output += textOf(part.functionCall.name) + JSON.stringify(part.functionCall.args);
    }
  },
};
