import { type GenerateContentResponse, GoogleGenAI } from '@google/genai';
import type { From as ClientCall, ReadAnswer } from './read-by-clients.ts';

/** Reads with `@google/genai`. `version` is the API version in the client's address; default: the client's own. */
export async function readByGemini(from: ClientCall & { version?: string }): Promise<ReadAnswer> {
  const client = new GoogleGenAI({
    apiKey: from.key,
    httpOptions: { baseUrl: from.url, ...(from.fetch && { fetch: from.fetch }) },
    ...(from.version !== undefined && { apiVersion: from.version }),
  });
  const call = { model: from.model, contents: 'hi' };
  const read: ReadAnswer = { text: '', thinking: '', tools: [], finish: '', inputTokens: 0, outputTokens: 0 };
  if (from.stream) {
    for await (const chunk of await client.models.generateContentStream(call)) add(read, chunk);
  } else add(read, await client.models.generateContent(call));
  if (read.finish === 'STOP') read.finish = read.tools.length > 0 ? 'tool_calls' : 'stop';
  else if (read.finish === 'MAX_TOKENS') read.finish = 'length';
  else if (read.finish !== '') read.finish = 'content_filter';
  return read;
}

function add(read: ReadAnswer, chunk: GenerateContentResponse): void {
  const usage = chunk.usageMetadata;
  if (usage) {
    read.inputTokens = (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0);
    read.outputTokens = (usage.totalTokenCount ?? 0) - read.inputTokens;
  }
  const candidate = chunk.candidates?.[0];
  read.finish = candidate?.finishReason ?? read.finish;
  for (const part of candidate?.content?.parts ?? []) {
    if (part.thought) read.thinking += part.text ?? '';
    else read.text += part.text ?? '';
    if (part.functionCall) {
      read.tools.push({ name: part.functionCall.name ?? '', input: part.functionCall.args ?? {} });
    }
  }
}
