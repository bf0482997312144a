import type { ChatRequest, Message, Part, Source } from './types/index.ts';
import { imageTokens } from './families/openai/index.ts';
import { messageTokens, partTokens } from './token-size.ts';

type CountTexts = (texts: readonly string[]) => Promise<number>;

/**
 * The input tokens of a neutral conversation, by the same rules as for an OpenAI chat
 * (docs/compatibility.md#token-counting), for protocols without their own count.
 */
export async function countConversation(
  count: CountTexts,
  { messages, tools }: ChatRequest,
  model: string,
): Promise<number> {
  let tokens = messageTokens.reply;
  const texts: string[] = [];
  for (const message of messages) tokens += gather(message, texts, model);
  const schemas = tools.flatMap((tool) =>
    tool.type === 'function' ? [tool.name, tool.description ?? '', JSON.stringify(tool.schema)] : [],
  );
  if (schemas.length > 0) tokens += messageTokens.tools;
  return tokens + (await count([...texts, ...schemas]));
}

/** Adds the texts of a message; returns the tokens of everything else. */
function gather({ role, name, parts }: Message, texts: string[], model: string): number {
  texts.push(role);
  let tokens = messageTokens.each;
  if (name !== undefined) {
    tokens += messageTokens.name;
    texts.push(name);
  }
  for (const part of parts) tokens += gatherPart(part, texts, model);
  return tokens;
}

function gatherPart(part: Part, texts: string[], model: string): number {
  switch (part.type) {
    case 'text':
    case 'refusal':
    case 'reasoning':
      texts.push(part.text);
      return 0;
    case 'image':
      return imageTokens({ url: addressOf(part.source), detail: part.detail ?? '' }, model);
    case 'audio':
      return partTokens.audio;
    case 'file':
      return partTokens.file;
    case 'tool-call':
      texts.push(part.name, part.input);
      return 0;
    case 'tool-result': {
      let tokens = 0;
      for (const inner of part.parts) tokens += gatherPart(inner, texts, model);
      return tokens;
    }
    case 'other':
      texts.push(JSON.stringify(part.extra.fields));
      return 0;
  }
}

function addressOf(source: Source): string {
  if (source.kind === 'url') return source.url;
  return source.kind === 'data' ? `data:${source.mediaType};base64,${source.base64}` : source.id;
}
