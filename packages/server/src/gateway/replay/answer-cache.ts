import { createHash } from 'node:crypto';
import { product } from '@tollgate/contract';
import { isObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import type { ProtocolId } from '../../relay/types/index.ts';
import type { KeptAnswers } from '../../services/calls/idempotency/index.ts';
import type { ConsumeFacts } from '../../services/calls/metering/index.ts';
import { type CachedCall, ClientStream, type RelayCall } from '../call/index.ts';
import { ByteBudget, type ClientSink, SharedAnswer } from './shared-answer.ts';

export interface AnswerCacheDeps {
  kept: KeptAnswers;
  log: Log;
}

/** Total bytes of answers being recorded, and bytes of one answer. */
const recordedBytes = 32 * 1024 * 1024;
const maxAnswerBytes = 4 * 1024 * 1024;

/** A call whose answer may come from the cache, or go into it. */
interface OpenCall extends CachedCall {
  name: string;
  userId: number;
  requestId: string;
  /** True if it got a stored answer. */
  isHit: boolean;
  /** Set at its settlement. */
  facts: ConsumeFacts | undefined;
}

/**
 * Calls with the text of an earlier call of the same user. Such a call is admitted, held for and charged like any other;
 * its answer is the stored one, byte for byte. Only whole answers of the vendor that the caller's request determines are
 * stored.
 */
export class AnswerCache {
  private readonly deps: AnswerCacheDeps;
  private readonly recordings = new ByteBudget(recordedBytes);
  /** Calls in flight, by request id. */
  readonly open = new Map<string, OpenCall>();

  constructor(deps: AnswerCacheDeps) {
    this.deps = deps;
  }

  /** Called for each settlement, before the end of its answer is sent. */
  settled(requestId: string, facts: ConsumeFacts): void {
    const call = this.open.get(requestId);
    if (call) call.facts = facts;
  }

  /** Serves a call by `run`, which looks for its stored answer once it is admitted. */
  async serve(
    relayCall: RelayCall & { readonly res: ClientSink },
    run: (relayCall: RelayCall & { readonly res: ClientSink }) => Promise<void>,
  ): Promise<void> {
    const control = String(relayCall.req.headers['cache-control'] ?? '');
    if (/\bno-store\b/i.test(control) || !isRepeatable(relayCall)) return run(relayCall);
    const { kept } = this.deps;
    const { requestId, caller } = relayCall;
    const call: OpenCall = {
      name: nameCall(relayCall),
      userId: caller.userId,
      requestId,
      isHit: false,
      isChanged: false,
      facts: undefined,
      async find() {
        if (/\bno-cache\b/i.test(control)) return undefined;
        const found = await kept.find(call.name, call.userId);
        call.isHit = found !== undefined;
        return found;
      },
    };
    const answer: SharedAnswer = new SharedAnswer({
      budget: this.recordings,
      maxBytes: maxAnswerBytes,
      mayContinue: () => false,
      beforeEnd: () => this.keep(call, answer),
    });
    answer.join(relayCall.res, 'first');
    this.open.set(requestId, call);
    try {
      await run({ ...relayCall, res: answer, client: new ClientStream(answer), cached: call });
      if (!answer.writableEnded) answer.destroy();
      await answer.done;
    } finally {
      this.open.delete(requestId);
      answer.drop();
    }
  }

  /** Stores the answer of a settled call. An error does not fail the call, which was charged and answered. */
  private async keep(
    { name, userId, requestId, isHit, isChanged, facts }: OpenCall,
    { status, headers, body }: SharedAnswer,
  ): Promise<void> {
    if (isHit || isChanged || !facts || !body || status !== 200) return;
    if (facts.endReason !== 'complete' || facts.cheaperBy !== undefined) return;
    const { usage, extras, upstreamModel } = facts;
    // Another model than the requested one, or a tool that the vendor used by itself.
    if (headers[product.headers.model] !== undefined) return;
    if (usage.webSearchCalls + usage.fileSearchCalls + usage.containers > 0) return;
    if (usage.imageOutput + usage.audioOutput > 0) return;
    const { 'content-length': _length, [product.headers.cost]: _cost, ...head } = headers;
    const kept = { status, headers: head, trailers: {}, body, usage, extras, upstreamModel };
    await this.deps.kept.keep(name, userId, requestId, kept).catch((err: unknown) => {
      this.deps.log.error({ err, request: requestId }, 'an answer could not be kept for its repetition');
    });
  }
}

/** Headers of a caller that change the answer. */
const answerHeaders = ['accept', 'anthropic-version', 'anthropic-beta', 'openai-beta'];

/** The id of a call: everything that its answer depends on, and who may see it. */
function nameCall({ caller, path, query, req, raw, askedGroup }: RelayCall): string {
  const { userId, team, channelRule, tokenGroup } = caller;
  const rule = channelRule && [channelRule.regions && [...channelRule.regions], channelRule.noRetention];
  const headers = answerHeaders.map((name) => req.headers[name] ?? null);
  const parts = ['answer', userId, team?.id ?? 0, rule, askedGroup || tokenGroup, path, query, headers];
  return createHash('sha256').update(JSON.stringify(parts)).update('\n').update(raw).digest('hex');
}

/** Protocols whose answers are text that the request determines. */
const protocols: ReadonlySet<ProtocolId> = new Set<ProtocolId>([
  'openai-chat',
  'openai-completions',
  'openai-embeddings',
  'openai-moderations',
  'openai-responses',
  'anthropic-messages',
  'gemini',
  'gemini-embeddings',
  'cohere-rerank',
]);

/** Members of a request that hold its texts. */
const texts: ReadonlySet<string> = new Set([
  'messages',
  'system',
  'instructions',
  'input',
  'prompt',
  'query',
  'documents',
  'contents',
  'content',
  'systemInstruction',
  'system_instruction',
]);

/**
 * Members that only choose how the answer is written. A request with any other member is not repeatable: it may name a
 * tool, a file, a stored conversation or a search.
 */
const plain: ReadonlySet<string> = new Set([
  'model',
  'group',
  'stream',
  'stream_options',
  'user',
  'metadata',
  'safety_identifier',
  'service_tier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'store',
  'truncation',
  'text',
  'response_format',
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'seed',
  'n',
  'best_of',
  'echo',
  'suffix',
  'stop',
  'stop_sequences',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'presence_penalty',
  'frequency_penalty',
  'repetition_penalty',
  'verbosity',
  'reasoning',
  'reasoning_effort',
  'thinking',
  'enable_thinking',
  'output_config',
  'output_format',
  'generationConfig',
  'generation_config',
  'safetySettings',
  'safety_settings',
  'dimensions',
  'encoding_format',
  'input_type',
  'top_n',
  'return_documents',
  'max_chunks_per_doc',
  'taskType',
  'outputDimensionality',
]);

/** Members of a message, and values of `type` and `role` in it, if it is text only. */
const ofMessage: ReadonlySet<string> = new Set([
  'role',
  'content',
  'type',
  'text',
  'parts',
  'name',
  'cache_control',
  'ttl',
  'phase',
]);
const textTypes: ReadonlySet<unknown> = new Set([
  undefined,
  'text',
  'input_text',
  'output_text',
  'message',
  'ephemeral',
]);
const textRoles: ReadonlySet<unknown> = new Set([
  undefined,
  'system',
  'developer',
  'user',
  'assistant',
  'model',
]);
/** Deeper than any message of text. */
const maxDepth = 8;

/** True if the answer of a call depends on nothing but its text. */
function isRepeatable({ inbound, facts, form, json, caller, req }: RelayCall): boolean {
  const isOwn = facts.media ?? facts.kept ?? facts.hostedTools ?? facts.uses ?? facts.functions;
  const refers = facts.previousResponse ?? facts.fileIds ?? facts.inBackground ?? facts.hasOpenInput;
  if (isOwn !== undefined || refers !== undefined || form) return false;
  if (!protocols.has(inbound.id) || caller.pinnedChannelId > 0) return false;
  if (req.headers[product.headers.explain] !== undefined) return false;
  // A vendor stores a response unless it is told not to.
  if (inbound.id === 'openai-responses' ? json['store'] !== false : json['store'] === true) return false;
  return Object.entries(json).every(([name, value]) =>
    texts.has(name) ? isText(value, 0) : plain.has(name) && isPlainConfig(name, value),
  );
}

/** Google's settings of an answer may ask for sound and images. */
const isPlainConfig = (name: string, value: Json | undefined): boolean =>
  !name.startsWith('generation') ||
  !isObject(value) ||
  !/modalit|speech|image/i.test(Object.keys(value).join());

function isText(value: Json | undefined, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth > maxDepth) return false;
  if (Array.isArray(value)) return value.every((each) => isText(each, depth + 1));
  const { type, role } = value as JsonObject;
  return (
    textTypes.has(type) &&
    textRoles.has(role) &&
    Object.entries(value).every(([name, each]) => ofMessage.has(name) && isText(each, depth + 1))
  );
}
