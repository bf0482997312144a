import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
  type ContentBlock,
  type ConverseStreamOutput,
  type TokenUsage,
} from '@aws-sdk/client-bedrock-runtime';
import { startHttp2Upstream } from '../upstream/http2-upstream.ts';
import type { ReadAnswer } from './read-by-clients.ts';

/** Bedrock's stop reasons as finish reasons of Chat. */
const reasons: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
};

/** Reads an answer to Converse with `@aws-sdk/client-bedrock-runtime`. Finish reasons are those of Chat. */
export async function readByBedrock(body: Buffer, contentType: string, stream: boolean): Promise<ReadAnswer> {
  const upstream = await startHttp2Upstream({ body, contentType, pieceBytes: 777 });
  const client = new BedrockRuntimeClient({
    region: 'us-east-1',
    endpoint: upstream.url,
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'none' },
    maxAttempts: 1,
  });
  try {
    const input = { modelId: 'm', messages: [{ role: 'user' as const, content: [{ text: 'hi' }] }] };
    if (!stream) return ofAnswer(await client.send(new ConverseCommand(input)));
    const answer = await client.send(new ConverseStreamCommand(input));
    const reading = new StreamReading();
    for await (const event of answer.stream!) reading.add(event);
    return reading.done();
  } finally {
    client.destroy();
    await upstream.close();
  }
}

const empty = (): ReadAnswer => ({
  text: '',
  thinking: '',
  tools: [],
  finish: '',
  inputTokens: 0,
  outputTokens: 0,
});

class StreamReading {
  private readonly read = empty();
  private readonly calls = new Map<number, { name: string; text: string }>();

  add(event: ConverseStreamOutput): void {
    const { read } = this;
    const start = event.contentBlockStart?.start?.toolUse;
    // Tools that the vendor itself runs are not calls for the caller.
    if (start && start.type !== 'server_tool_use') {
      this.calls.set(event.contentBlockStart!.contentBlockIndex!, { name: start.name!, text: '' });
    }
    const delta = event.contentBlockDelta?.delta;
    read.text += delta?.text ?? '';
    read.thinking += delta?.reasoningContent?.text ?? '';
    const call = this.calls.get(event.contentBlockDelta?.contentBlockIndex ?? -1);
    if (call) call.text += delta?.toolUse?.input ?? '';
    if (event.messageStop) read.finish = finishOf(event.messageStop.stopReason);
    if (event.metadata) addUsage(read, event.metadata.usage);
  }

  done(): ReadAnswer {
    const tools = [...this.calls.values()].map(({ name, text }) => ({
      name,
      input: JSON.parse(text || '{}') as unknown,
    }));
    return { ...this.read, tools };
  }
}

function ofAnswer(answer: {
  output?: { message?: { content?: ContentBlock[] | undefined } | undefined } | undefined;
  stopReason?: string | undefined;
  usage?: TokenUsage | undefined;
}): ReadAnswer {
  const read = empty();
  for (const block of answer.output?.message?.content ?? []) {
    read.text += block.text ?? '';
    for (const { text } of block.citationsContent?.content ?? []) read.text += text ?? '';
    read.thinking += block.reasoningContent?.reasoningText?.text ?? '';
    const { toolUse } = block;
    if (toolUse && toolUse.type !== 'server_tool_use') {
      read.tools.push({ name: toolUse.name!, input: toolUse.input });
    }
  }
  read.finish = finishOf(answer.stopReason);
  addUsage(read, answer.usage);
  return read;
}

const finishOf = (reason: string | undefined): string => reasons[reason ?? ''] ?? reason ?? '';

function addUsage(read: ReadAnswer, usage: TokenUsage | undefined): void {
  read.inputTokens =
    (usage?.inputTokens ?? 0) + (usage?.cacheReadInputTokens ?? 0) + (usage?.cacheWriteInputTokens ?? 0);
  read.outputTokens = usage?.outputTokens ?? 0;
}
