import { untranslatable } from '@tollgate/contract/relay-errors';
import type { ChatRequest, Message, Part, RequestContext, ProtocolId } from '../types/index.ts';
import type { FilePart } from './file-parts.ts';
import { cannotTranslate, ownFields, ownPart } from './untranslatable.ts';
import { writeHostedTool } from './hosted-tools.ts';

/** Text form of message parts, for vendors that accept only text. */
export interface AsTextOptions {
  own: ProtocolId;
  context: Pick<RequestContext, 'drop'>;
  /** Takes what is not text. */
  take(part: FilePart): void;
}

/**
 * A message as text, for applications with tools of their own. Calls and results of earlier turns are text in brackets, so
 * that the model knows the results.
 */
export const messageAsText = (message: Message, options: AsTextOptions): string =>
  message.parts
    .map((part) => partAsText(part, options))
    .filter((words) => words !== '')
    .join('\n');

function partAsText(part: Part, options: AsTextOptions): string {
  const { own, context } = options;
  switch (part.type) {
    case 'text':
      ownFields(part.extra, own, context);
      return part.text;
    case 'refusal':
      return part.text;
    case 'tool-call':
      return `[called ${part.name} with ${part.input === '' ? '{}' : part.input}]`;
    case 'tool-result': {
      const words = part.parts.map((each) => partAsText(each, options)).join('\n');
      return `[${part.name ?? 'the call'} ${part.isError ? 'failed' : 'answered'}: ${words}]`;
    }
    case 'reasoning':
      context.drop('reasoning of earlier turns');
      return '';
    case 'other':
      ownPart(part.extra, own, context);
      return '';
    case 'image':
    case 'audio':
    case 'file':
      ownFields(part.extra, own, context);
      options.take(part);
      return '';
  }
}

/** JSON mode is a thing such vendors do not know: it is asked for in words. */
const jsonWords =
  'Answer with one JSON object and nothing else: no words before or behind it, no code fence.';

/**
 * Handles options of a request to an application with its own model, tools and limits: reports them as left out (`drop`),
 * or refuses those that the caller relies on. Returns instructions that replace the others.
 */
export function dropModelOptions(request: ChatRequest, own: ProtocolId, context: RequestContext): string {
  const { toolChoice, responseFormat, choices } = request;
  if (toolChoice?.type === 'required' || toolChoice?.type === 'tool') {
    throw cannotTranslate(untranslatable.forced_tool, own);
  }
  if (choices > 1) throw cannotTranslate(untranslatable.several_answers, own);
  if (responseFormat?.type === 'schema') throw cannotTranslate(untranslatable.answer_by_schema, own);
  for (const tool of request.tools) {
    // Functions that a search would find are left out.
    if (tool.type === 'vendor' && !writeHostedTool(tool, own, context))
      throw cannotTranslate(untranslatable.tools, own);
  }
  const { drop } = context;
  if (request.tools.some(({ type }) => type === 'function')) drop('tools');
  if (request.maxOutputTokens !== undefined) drop('maxOutputTokens');
  if (request.stop.length > 0) drop('stop');
  if (request.reasoning) drop('reasoning');
  if (request.metadata) drop('metadata');
  if (request.serviceTier !== undefined) drop('serviceTier');
  for (const [name, value] of Object.entries(request.sampling)) if (value !== undefined) drop(name);
  return responseFormat?.type === 'json' ? jsonWords : '';
}
