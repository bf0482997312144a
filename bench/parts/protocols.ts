/** The protocols of callers. */
export type Protocol = 'chat' | 'messages' | 'responses' | 'gemini';

interface ProtocolClient {
  label: string;
  path: (model: string) => string;
  /** Text near the end of every complete stream. */
  done: string;
  write(model: string, content: string, stream: boolean): object;
}

const system = 'You are a helpful assistant.';
const common = { temperature: 0.7 };

/** The same request in each protocol. */
export const protocols: Record<Protocol, ProtocolClient> = {
  chat: {
    label: 'Chat Completions',
    path: () => '/v1/chat/completions',
    done: '[DONE]',
    write: (model, content, stream) => ({
      model,
      messages: [
        { role: 'system', content: system },
        { role: 'user', content },
      ],
      ...common,
      max_tokens: 256,
      ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
    }),
  },
  messages: {
    label: 'Messages',
    path: () => '/v1/messages',
    done: 'message_stop',
    write: (model, content, stream) => ({
      model,
      system,
      messages: [{ role: 'user', content }],
      ...common,
      max_tokens: 256,
      stream,
    }),
  },
  responses: {
    label: 'Responses',
    path: () => '/v1/responses',
    done: 'output_tokens',
    write: (model, content, stream) => ({
      model,
      instructions: system,
      input: content,
      ...common,
      max_output_tokens: 256,
      stream,
    }),
  },
  gemini: {
    label: 'Gemini',
    path: (model) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    done: 'finishReason',
    write: (_model, content) => ({
      systemInstruction: { parts: [{ text: system }] },
      contents: [{ role: 'user', parts: [{ text: content }] }],
      generationConfig: { ...common, maxOutputTokens: 256 },
    }),
  },
};
