import type { ChatRequest, Message, Part, Tool } from '../../relay/types/index.ts';

/**
 * Content of a request, independent of its position in a protocol. A call's id is its index among the calls, because
 * protocols limit the length and characters of ids, and some require unique ones.
 */
export function essence(request: ChatRequest): unknown {
  const instructions: string[] = [];
  const turns: unknown[] = [];
  const calls = new Calls();
  for (const message of request.messages) {
    const isInstruction = message.role === 'system' || message.role === 'developer';
    if (isInstruction) instructions.push(wordsOf(message));
    else turns.push(...message.parts.flatMap((part) => essenceOf(part, calls)));
  }
  return {
    instructions: instructions.join('\n'),
    turns,
    tools: request.tools.flatMap(toolOf),
    // A choice has no effect without tools, or with the default value.
    choice: request.tools.some(({ type }) => type === 'function') ? request.toolChoice : undefined,
    stop: request.stop,
    bound: request.maxOutputTokens,
    stream: request.stream,
    user: request.user,
  };
}

const wordsOf = ({ parts }: Message): string =>
  parts.map((part) => ('text' in part ? part.text : '')).join('\n');
/** An object schema without properties has several valid forms. */
const toolOf = (tool: Tool): unknown[] =>
  tool.type === 'function' ? [[tool.name, tool.description, { type: 'object', ...tool.schema }]] : [];

/** Index of calls by id. A result belongs to the first call of its id without a result, or to the last one. */
class Calls {
  private count = 0;
  private readonly places = new Map<string, number[]>();

  begin(id: string): number {
    this.count += 1;
    this.places.set(id, [...(this.places.get(id) ?? []), this.count]);
    return this.count;
  }

  answer(id: string): number | string {
    const [place, ...rest] = this.places.get(id) ?? [];
    if (rest.length > 0) this.places.set(id, rest);
    return place ?? id;
  }
}

function essenceOf(part: Part, calls: Calls): unknown[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      // '...' replaces an empty text, because Anthropic requires a text.
      return part.text === '' || part.text === '...' ? [] : [part.text];
    case 'tool-call':
      return [
        { call: part.name, id: calls.begin(part.id), input: JSON.parse(part.input || '{}') as unknown },
      ];
    case 'tool-result':
      return [
        {
          id: calls.answer(part.id),
          words: part.parts.map((each) => ('text' in each ? each.text : '')).join('\n'),
        },
      ];
    case 'image':
    case 'file':
      return [part.source];
    default:
      return [];
  }
}
