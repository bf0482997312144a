import OpenAI from 'openai';
import type { From as ClientCall, ReadAnswer } from './read-by-clients.ts';

/** Reads with `openai`, in Responses. */
export async function readByResponses(from: ClientCall): Promise<ReadAnswer> {
  const client = new OpenAI({
    baseURL: `${from.url}/v1`,
    apiKey: from.key,
    maxRetries: 0,
    ...(from.fetch && { fetch: from.fetch }),
  });
  const body = { model: from.model, input: 'hi' };
  if (!from.stream) return ofResponse(await client.responses.create(body));
  let streamed = '';
  let last: OpenAI.Responses.Response | undefined;
  for await (const event of await client.responses.create({ ...body, stream: true })) {
    if (event.type === 'response.output_text.delta' || event.type === 'response.refusal.delta') {
      streamed += event.delta;
    } else if (event.type === 'response.completed' || event.type === 'response.incomplete') {
      last = event.response;
    } else if (event.type === 'response.failed') throw new Error(event.response.error?.message);
  }
  if (!last) throw new Error('the stream ended without its response');
  const read = ofResponse(last);
  // The streamed pieces must add up to the complete text.
  if (read.text !== streamed) throw new Error(`told in pieces: ${streamed}`);
  return read;
}

function ofResponse(response: OpenAI.Responses.Response): ReadAnswer {
  const read: ReadAnswer = {
    text: '',
    thinking: '',
    tools: [],
    finish: finishOf(response),
    inputTokens: response.usage?.input_tokens ?? 0,
    outputTokens: response.usage?.output_tokens ?? 0,
  };
  for (const item of response.output) {
    if (item.type === 'message') {
      for (const part of item.content) read.text += part.type === 'output_text' ? part.text : part.refusal;
    } else if (item.type === 'reasoning') {
      const parts = [...item.summary, ...(item.content ?? [])].map(({ text }) => text);
      read.thinking += parts.join('\n\n');
    } else if (item.type === 'function_call') {
      read.tools.push({ name: item.name, input: JSON.parse(item.arguments) as unknown });
    }
  }
  return read;
}

/** The finish reason of Chat. */
function finishOf({ output, incomplete_details: incomplete }: OpenAI.Responses.Response): string {
  if (incomplete?.reason === 'max_output_tokens') return 'length';
  if (incomplete?.reason === 'content_filter') return 'content_filter';
  return output.some(({ type }) => type === 'function_call') ? 'tool_calls' : 'stop';
}
