import { receiptApi } from '@tollgate/contract';
import { call, consoleHeaders } from '../../../lib/api/api-client.ts';
import { ApiError, errorMessage } from '../../../lib/api/api-error.ts';
import { streamChat, type ChatMessage, type ChatStep } from '../../../lib/api/chat-stream.ts';
import { endSession } from '../../../lib/session.ts';
import { stored } from '../../../lib/storage.ts';
import type { Answer, Problem } from '../base/types.ts';

/** The input of a playground call. */
export interface Request {
  model: string;
  group: string;
  messages: readonly ChatMessage[];
  temperature?: number;
  max_tokens?: number;
}

interface Run {
  request: Request;
  signal: AbortSignal;
  /** Called at most once per frame while text arrives, and once at the end. */
  onChange: (change: Partial<Answer>) => void;
  onData: (data: string) => void;
}

/** Streams one answer until it ends, is stopped or fails; never throws. */
export async function runAnswer({ request, signal, onChange, onData }: Run): Promise<void> {
  const batch = batchByFrame(onChange);
  try {
    const steps = streamChat({
      url: '/pg/chat/completions',
      headers: consoleHeaders(true),
      body: { ...request },
      signal,
      onData,
    });
    for await (const step of steps) batch.take(step);
    batch.end({ status: 'complete' });
  } catch (error) {
    if (signal.aborted) batch.end({ status: 'complete', stopped: true });
    else {
      const problem = problemOf(error);
      const requestId = error instanceof ApiError ? (error.requestId ?? null) : null;
      batch.end({ status: 'error', problem, ...(requestId !== null && { requestId }) });
      if (problem.status === 401) endSession('expired');
    }
  }
}

/** Collects the steps of a stream and reports them once per frame: a render for every token would flicker and lag. */
function batchByFrame(onChange: (change: Partial<Answer>) => void) {
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  let content = '';
  let reasoning = '';
  let change: Partial<Answer> = {};
  let frame: number | null = null;
  const hasWords = () => content !== '' || reasoning !== '';

  const flush = () => {
    frame = null;
    onChange({ ...change, content, reasoning, ...(hasWords() && { status: 'incomplete' as const }) });
    change = {};
  };
  const take = (step: ChatStep) => {
    if ((step.type === 'text' || step.type === 'reasoning') && !hasWords()) change.firstTokenMs = elapsed();
    if (step.type === 'start') change.requestId = step.requestId;
    else if (step.type === 'usage') change.usage = step.usage;
    else if (step.type === 'end') change.finish = step.reason;
    else if (step.type === 'reasoning') reasoning += step.text;
    else {
      if (content === '' && reasoning !== '') change.thoughtMs = elapsed();
      content += step.text;
    }
    frame ??= requestAnimationFrame(flush);
  };
  const end = (last: Partial<Answer>) => {
    if (frame !== null) cancelAnimationFrame(frame);
    onChange({ ...change, content, reasoning, totalMs: elapsed(), ...last });
  };
  return { take, end };
}

const problemOf = (error: unknown): Problem =>
  error instanceof ApiError
    ? { message: error.message, code: error.code ?? null, status: error.status }
    : // The connection broke in the middle; the browser's error has its own text.
      { message: errorMessage(error, stored.language.get()), code: null, status: 0 };

/** Delays before each request for the receipt, in ms: it is written right after the stream ends, later after a stop. */
const receiptDelaysMs = [120, 400, 1000, 2500, 5000];

/**
 * Cost of a call, in quota units, and its usage. Streams send the cost in a trailer, which browsers cannot read, so it is
 * requested. Null if no receipt appears.
 */
export async function findCost(
  requestId: string,
): Promise<{ cost: number; usage: NonNullable<Answer['usage']> } | null> {
  for (const delayMs of receiptDelaysMs) {
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    try {
      const receipt = await call(receiptApi.get, { request: requestId });
      return {
        cost: receipt.charged,
        usage: { inputTokens: receipt.prompt_tokens, outputTokens: receipt.completion_tokens },
      };
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'row_not_found') return null;
    }
  }
  return null;
}
