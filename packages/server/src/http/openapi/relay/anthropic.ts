import { count, like, list, model, open, type RelayCall, stream, text } from './call.ts';

const messages = [{ role: 'user', content: 'Hello!' }];

/** Anthropic's calls. */
export const anthropicCalls: readonly RelayCall[] = [
  {
    method: 'POST',
    path: '/v1/messages',
    tag: 'anthropic',
    name: 'messages',
    summary: { zh: 'Messages 接口', en: 'Messages' },
    request: {
      schema: open({ model, max_tokens: count, messages: list(), system: {}, stream, tools: list() }, [
        'model',
        'max_tokens',
        'messages',
      ]),
      example: { model: 'gpt-4o-mini', max_tokens: 100, messages },
    },
    answer: {
      schema: open(
        {
          id: like(text, 'msg_1'),
          type: { const: 'message' },
          role: { const: 'assistant' },
          content: like(list(), [{ type: 'text', text: 'Hello! How can I help you?' }]),
          usage: like(open({ input_tokens: count, output_tokens: count }), {
            input_tokens: 40,
            output_tokens: 12,
          }),
        },
        ['id', 'type', 'content', 'usage'],
      ),
    },
    streams: true,
  },
  {
    method: 'POST',
    path: '/v1/messages/count_tokens',
    tag: 'anthropic',
    name: 'count-tokens',
    summary: { zh: '计算输入的 token 数，不计费', en: 'Count the tokens of an input; costs nothing' },
    request: {
      schema: open({ model, messages: list(), system: {}, tools: list() }, ['model', 'messages']),
      example: { model: 'gpt-4o-mini', messages },
    },
    answer: { schema: open({ input_tokens: like(count, 9) }, ['input_tokens']) },
  },
];
