import { type Json, type JsonObject, parseObject, splice, textOf } from '../../../lib/json.ts';
import { AwsUnframer, isAwsStream, sseEvent } from '../../families/amazon/index.ts';
import type { Unframer, Adapted, AdaptContext } from '../../types/index.ts';
import { adaptClaude, claudeHeaders, withoutThread } from '../../protocols/anthropic-messages/index.ts';
import { withData } from './media.ts';

/**
 * The version of the body, which Bedrock requires instead of a header (Bedrock user guide, Anthropic Claude Messages
 * API).
 */
const version = 'bedrock-2023-05-31';

/**
 * Adapts a body of Messages to Bedrock: model and streaming are in the address, version and betas in the body, files
 * are data, and tiers belong to the account.
 */
export function adaptInvoke(body: JsonObject, context: AdaptContext): Adapted {
  withoutThread(body);
  const adapted = adaptClaude(body, context);
  delete body.model;
  delete body.stream;
  delete body.service_tier;
  body.anthropic_version = version;
  const betas = new Set([
    ...listed(body.anthropic_beta),
    ...betasOf(context, adapted.model ?? context.model),
  ]);
  if (betas.size > 0) body.anthropic_beta = [...betas];
  if (context.files.size > 0 && body.messages !== undefined) {
    body.messages = withData(body.messages, context.files);
  }
  return adapted;
}

/** Betas that are already in the body, in the form of Bedrock's callers. */
const listed = (betas: Json | undefined): Json[] => (Array.isArray(betas) ? betas : []);

/** The betas of the caller's header, and those that the site adds for a model. */
function betasOf({ caller, options, requestedModel, stream }: AdaptContext, model: string): string[] {
  // MCP servers, which would be a field of the body, are not supported by Bedrock.
  const call = { model, requestedModel, caller, stream, options, body: {} };
  const header = claudeHeaders(call)['anthropic-beta'] ?? '';
  return header
    .split(',')
    .map((beta) => beta.trim())
    .filter((beta) => beta !== '');
}

/** Bedrock's own counters, which it adds to the last event. */
const metricsKey = 'amazon-bedrock-invocationMetrics';
const metrics = Buffer.from(`"${metricsKey}"`);

/** The frames of an Invoke answer: each has an event of Messages, which passes unchanged. */
export const openInvokeFrames = (contentType: string, secrets: readonly string[]): Unframer | undefined =>
  isAwsStream(contentType) ? new AwsUnframer(writeChunk, secrets) : undefined;

function writeChunk(type: string, body: Buffer): Buffer | undefined {
  if (type !== 'chunk') return undefined;
  const frame = parseObject(body);
  if (!frame || typeof frame.bytes !== 'string') return undefined;
  const inner = Buffer.from(frame.bytes, 'base64');
  const event = parseObject(inner);
  if (!event) return sseEvent('', inner);
  const data = inner.includes(metrics) ? splice(inner, new Map([[metricsKey, undefined]])) : inner;
  return sseEvent(textOf(event.type), data);
}
