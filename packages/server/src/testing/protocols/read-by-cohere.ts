import { type Cohere, CohereClientV2 } from 'cohere-ai';
import type { From as ClientCall, ReadAnswer } from './read-by-clients.ts';

/** Cohere's finish reasons as those of Chat. */
const reasons: Readonly<Record<string, string>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool_calls',
};

/** Reads with `cohere-ai`, version 2. Plans count as thoughts, and billed units as usage. */
export async function readByCohere(from: ClientCall): Promise<ReadAnswer> {
  const client = new CohereClientV2({
    token: from.key,
    baseUrl: from.url,
    maxRetries: 0,
    ...(from.fetch && { fetch: from.fetch }),
  });
  const body = { model: from.model, messages: [{ role: 'user' as const, content: 'hi' }] };
  return from.stream ? gather(await client.chatStream(body)) : ofAnswer(await client.chat(body));
}

const emptyRead = (): ReadAnswer => ({
  text: '',
  thinking: '',
  tools: [],
  finish: '',
  inputTokens: 0,
  outputTokens: 0,
});

async function gather(stream: AsyncIterable<Cohere.V2ChatStreamResponse>): Promise<ReadAnswer> {
  const read = emptyRead();
  const inputs: { name: string; text: string }[] = [];
  for await (const event of stream) {
    if (event.type === 'content-start' || event.type === 'content-delta') {
      read.text += event.delta?.message?.content?.text ?? '';
      read.thinking += event.delta?.message?.content?.thinking ?? '';
    } else if (event.type === 'tool-plan-delta') read.thinking += event.delta?.message?.toolPlan ?? '';
    else if (event.type === 'tool-call-start') {
      const call = event.delta?.message?.toolCalls?.function;
      inputs.push({ name: call?.name ?? '', text: call?.arguments ?? '' });
    } else if (event.type === 'tool-call-delta') {
      inputs.at(-1)!.text += event.delta?.message?.toolCalls?.function?.arguments ?? '';
    } else if (event.type === 'message-end') {
      addEnd(read, event.delta?.finishReason, event.delta?.usage);
    }
  }
  read.tools = inputs.map(({ name, text }) => ({ name, input: inputOf(text) }));
  return read;
}

function ofAnswer({ message, finishReason, usage }: Cohere.V2ChatResponse): ReadAnswer {
  const read = emptyRead();
  for (const part of message.content ?? []) {
    if (part.type === 'text') read.text += part.text;
    else read.thinking += part.thinking;
  }
  read.thinking += message.toolPlan ?? '';
  read.tools = (message.toolCalls ?? []).map(({ function: call }) => ({
    name: call?.name ?? '',
    input: inputOf(call?.arguments ?? ''),
  }));
  addEnd(read, finishReason, usage);
  return read;
}

/** A call of a tool without parameters has no arguments. */
const inputOf = (text: string): unknown => JSON.parse(text === '' ? '{}' : text);

function addEnd(read: ReadAnswer, reason: string | undefined, usage: Cohere.Usage | undefined): void {
  read.finish = reasons[reason ?? ''] ?? '';
  read.inputTokens = usage?.billedUnits?.inputTokens ?? 0;
  read.outputTokens = usage?.billedUnits?.outputTokens ?? 0;
}
