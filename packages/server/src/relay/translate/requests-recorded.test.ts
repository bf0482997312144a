import { describe, expect, test } from 'vitest';
import { haveRecordings, recordedStreams } from '../../testing/recordings.ts';
import { chat, claude, told } from '../../testing/tell-request.ts';
import type { ChatRequest, Message, Part, Tool } from '../model/chat.ts';
import { isObject } from '../model/json.ts';

/** What a request says, without the places where a language puts it. */
function essence(request: ChatRequest): unknown {
  const instructions: string[] = [];
  const turns: unknown[] = [];
  for (const message of request.messages) {
    const isInstruction = message.role === 'system' || message.role === 'developer';
    if (isInstruction) instructions.push(wordsOf(message));
    else turns.push(...message.parts.flatMap(said));
  }
  return {
    instructions: instructions.join('\n'),
    turns,
    tools: request.tools.flatMap(toolOf),
    // Without tools, and with the usual freedom, a choice says nothing.
    choice: request.tools.some(({ type }) => type === 'function') ? request.toolChoice : undefined,
    stop: request.stop,
    bound: request.maxOutputTokens,
    stream: request.stream,
    user: request.user,
  };
}

const wordsOf = ({ parts }: Message): string =>
  parts.map((part) => ('text' in part ? part.text : '')).join('\n');
/** An object schema without properties may be written in several ways. */
const toolOf = (tool: Tool): unknown[] =>
  tool.type === 'function' ? [[tool.name, tool.description, { type: 'object', ...tool.schema }]] : [];

function said(part: Part): unknown[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      // Three points stand where Anthropic wants words and there are none.
      return part.text === '' || part.text === '...' ? [] : [part.text];
    case 'tool-call':
      return [{ call: part.name, id: part.id, input: JSON.parse(part.input || '{}') as unknown }];
    case 'tool-result':
      return [{ id: part.id, words: part.parts.map((each) => ('text' in each ? each.text : '')).join('\n') }];
    case 'image':
    case 'file':
      return [part.source];
    default:
      return [];
  }
}

describe.skipIf(!haveRecordings)('recorded requests (skipped without the recordings)', () => {
  const requests = (protocol: string) =>
    (haveRecordings ? recordedStreams(protocol) : []).flatMap(({ file, request }) =>
      isObject(request) && Array.isArray(request.messages) ? [[file, request] as const] : [],
    );

  test.each(requests('openai-chat'))('%s, told as Messages and back, says the same', (_file, request) => {
    const there = told(chat, claude, request).body;
    expect(essence(claude.readRequest!(there))).toEqual(essence(chat.readRequest!(request)));
    const back = told(claude, chat, there).body;
    expect(essence(chat.readRequest!(back))).toEqual(essence(chat.readRequest!(request)));
  });

  test.each(requests('anthropic-messages'))('%s, told as chat and back, says the same', (_file, request) => {
    const there = told(claude, chat, request);
    expect(essence(chat.readRequest!(there.body))).toEqual(essence(claude.readRequest!(request)));
    const back = told(chat, claude, there.body).body;
    expect(essence(claude.readRequest!(back))).toEqual(essence(claude.readRequest!(request)));
  });
});
