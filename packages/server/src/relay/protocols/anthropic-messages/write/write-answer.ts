import type { Usage } from '@tollgate/contract';
import type { ChatEvent, WriterOptions } from '../../../types/index.ts';
import { parseExact } from '../../../../lib/exact-numbers.ts';
import { isObject, type Json, type JsonObject, textOf } from '../../../../lib/json.ts';
import { headOf } from './head.ts';
import { writeReason } from '../reasons.ts';
import { writeAnthropicUsage } from '../usage.ts';
import { type BlockEvent, BlockQueue } from './write-block.ts';

/** Writes the events of one answer as a message: the blocks of the stream, each assembled. */
export function writeAnthropicAnswer(events: readonly ChatEvent[], { fallback }: WriterOptions): JsonObject {
  const blocks = new BlockQueue(fallback.requestId);
  const content: JsonObject[] = [];
  let head = headOf(undefined, fallback);
  let usage: Usage | undefined;
  let tier: string | undefined;
  let finish: Extract<ChatEvent, { type: 'finish' }> | undefined;
  for (const event of events) {
    if (event.type === 'start') {
      head = headOf(event, fallback);
      tier = event.serviceTier;
    } else if (event.type === 'usage') usage = event.isPartial ? usage : event.usage;
    else if (event.type === 'error' || event.choice !== 0) continue;
    else if (event.type === 'finish') finish = event;
    else for (const each of blocks.write(event)) gather(content, each);
  }
  for (const each of blocks.end()) gather(content, each);
  return {
    ...head,
    content: content.map(finished),
    stop_reason: writeReason(finish?.reason, blocks.hasTools),
    stop_sequence: finish?.reason.sequence ?? null,
    usage: writeAnthropicUsage(usage, tier),
  };
}

/** Input in pieces is kept as text under this name until the block is complete. */
const pieces = 'partial_json';

function gather(content: JsonObject[], event: BlockEvent): void {
  if (event.type === 'content_block_start' && isObject(event.content_block)) {
    content.push({ ...event.content_block });
  }
  const block = content.at(-1);
  if (event.type !== 'content_block_delta' || !block || !isObject(event.delta)) return;
  const { type: _, citation, ...texts } = event.delta;
  if (citation !== undefined) {
    block.citations = [...(Array.isArray(block.citations) ? block.citations : []), citation];
  }
  for (const [name, value] of Object.entries(texts)) block[name] = textOf(block[name]) + textOf(value);
}

function finished(block: JsonObject): JsonObject {
  const { [pieces]: input, ...rest } = block;
  return typeof input === 'string' && input !== '' ? { ...rest, input: inputOf(input) } : rest;
}

/** The input of a tool as an object; invalid JSON from a model is passed as text. */
function inputOf(text: string): Json {
  try {
    return parseExact(text);
  } catch {
    return { invalid_json: text };
  }
}
