import { untranslatable } from '@tollgate/contract/relay-errors';
import type { Extra, Part, RequestContext } from '../../types/index.ts';
import { callId, cannotTranslate, ownFields, toolInput } from '../../conversation/index.ts';
import { isObject, type JsonObject, textOf } from '../../../lib/json.ts';
import { canCache, isClaude, readsStatus } from './families.ts';
import type { MediaWriter } from './write-media.ts';

const own = 'bedrock-converse';
type OfType<T extends Part['type']> = Extract<Part, { type: T }>;

/** Replaces an empty text, which the vendor refuses. */
export const noWords: JsonObject = { text: '...' };

/** Writes the pieces of messages as content blocks; none for an empty piece. */
export class PartWriter {
  private readonly context: RequestContext;
  private readonly media: MediaWriter;

  constructor(context: RequestContext, media: MediaWriter) {
    this.context = context;
    this.media = media;
  }

  /** The blocks of a part, followed by its cache point if the caller set one. */
  write(part: Part): JsonObject[] {
    const extra = 'extra' in part ? part.extra : undefined;
    const blocks = this.blocks(part);
    const point = cachePoint(extra, this.context);
    return blocks.length > 0 && point ? [...blocks, point] : blocks;
  }

  private blocks(part: Part): JsonObject[] {
    switch (part.type) {
      case 'text':
      case 'refusal':
        // The vendor refuses blank texts.
        return part.text.trim() === '' ? [] : [{ text: part.text }];
      case 'image':
        return [this.media.image(part.source)];
      case 'file':
        return [this.media.file(part)];
      case 'audio':
        throw cannotTranslate(untranslatable.sound, own);
      case 'reasoning':
        return this.thoughts(part);
      case 'tool-call':
        return [{ toolUse: { toolUseId: toolId(part.id), name: part.name, input: toolInput(part.input) } }];
      case 'tool-result':
        return [this.result(part)];
      case 'other':
        return [];
    }
  }

  /** Reasoning is sent only to the vendor that signed it. */
  private thoughts({ text, signature, redacted, signer }: OfType<'reasoning'>): JsonObject[] {
    const isOwn = signer === own;
    if (isOwn && redacted !== undefined) return [{ reasoningContent: { redactedContent: redacted } }];
    if (isOwn && signature !== undefined) {
      return [{ reasoningContent: { reasoningText: { text, signature } } }];
    }
    this.context.drop('reasoning of earlier turns');
    return [];
  }

  private result(part: OfType<'tool-result'>): JsonObject {
    const blocks = part.parts.flatMap((each) => this.blocks(each));
    const hasStatus = readsStatus(this.context.model);
    const content = part.isError && !hasStatus ? markFailed(blocks) : blocks;
    return {
      toolResult: {
        toolUseId: toolId(part.id),
        content: content.length > 0 ? content : [noWords],
        ...(part.isError && hasStatus && { status: 'error' }),
      },
    };
  }
}

/** A failed tool, for models that read no status. */
function markFailed(content: JsonObject[]): JsonObject[] {
  const [first, ...rest] = content;
  if (first && typeof first.text === 'string') return [{ text: `Error: ${first.text}` }, ...rest];
  return [{ text: 'Error' }, ...content];
}

/**
 * The cache point of a `cache_control` of Messages, if the model has cache points. Other fields of another protocol are
 * dropped, or refused.
 */
export function cachePoint(extra: Extra | undefined, context: RequestContext): JsonObject | undefined {
  const control = extra?.protocol === 'anthropic-messages' ? extra.fields.cache_control : undefined;
  if (!extra || !isObject(control) || !canCache(context.model)) {
    ownFields(extra, own, context);
    return undefined;
  }
  const { cache_control: _, ...fields } = extra.fields;
  ownFields({ ...extra, fields }, own, context);
  const ttl = isClaude(context.model) ? textOf(control.ttl) : '';
  return { cachePoint: { type: 'default', ...(ttl !== '' && { ttl }) } };
}

const toolId = (id: string): string => callId(id, 64);
